// SPDX-License-Identifier: Apache-2.0

// This process as one rank of several: from then on its tables give indices of its part (home.hpp).
#pragma once

#include <cstdint>

namespace weir::ocr {

// Once, before any object is made.
void become_rank(std::uint32_t rank, std::uint32_t of_ranks);

}  // namespace weir::ocr
