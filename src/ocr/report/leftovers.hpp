// SPDX-License-Identifier: Apache-2.0

// What a program has not destroyed when it ends. While nothing runs any more.
#pragma once

namespace weir::ocr {

class System;

// Their memory is given back and their GUIDs are good no more. EDTs' memory went with the runtime.
void drop_leftovers(System& system) noexcept;

}  // namespace weir::ocr
