// SPDX-License-Identifier: Apache-2.0

// What a program has not destroyed when it ends. While nothing runs any more.
#pragma once

#include <span>

namespace weir::ocr {

struct Local;

// Their memory is given back and their GUIDs are good no more. EDTs' memory went with the runtime.
void drop_leftovers(std::span<Local* const> locals) noexcept;

}  // namespace weir::ocr
