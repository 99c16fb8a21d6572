// SPDX-License-Identifier: Apache-2.0

// Ranges and maps of labels: reserved GUIDs, and the function that computes one from a tuple.
#pragma once

#include <cstdint>
#include <vector>

#include "ocr/objects/guid.hpp"

namespace weir::ocr {

using MapFunction = ocrGuid_t (*)(ocrGuid_t start, u64 skip, s64* params, s64* tuple);

// Labels from `first` on are reserved, or are no more. Any thread.
void enter_range(Guid first, std::uint64_t count);
void leave_range(Guid first) noexcept;
// The program is over: none of its ranges and maps is one any more.
void forget_maps() noexcept;

}  // namespace weir::ocr
