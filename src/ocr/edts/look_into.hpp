// SPDX-License-Identifier: Apache-2.0

// Data blocks of other ranks that an event brings to an EDT which has waited for it: ocrLegacyBlockProgress().
#pragma once

#include "ocr/graph/local.hpp"

namespace weir::ocr {

// The running EDT waits for a copy of the block in mode RW, and holds it from then on as if it had made the block; one
// that it holds already, it has. `copy`: null when the block is gone. 0, OCR_ENOMEM, or OCR_ECANCELED when the program
// ends before.
u8 hold_far_block(Local& local, Guid block, Block*& copy);

}  // namespace weir::ocr
