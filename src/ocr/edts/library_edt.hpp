// SPDX-License-Identifier: Apache-2.0

// EDTs of the library's own, which do for it what only an EDT can: wait for data blocks while no thread does.
#pragma once

#include <span>

#include "ocr/graph/local.hpp"

namespace weir::ocr {

// With so many open slots, on this rank. `name`: one of objects/origin.hpp, by which observers know it. Null when there
// is no memory.
Guid make_library_edt(Local& local, ocrEdt_t function, const char* name, std::span<const u64> paramv,
                      std::uint32_t depc);

}  // namespace weir::ocr
