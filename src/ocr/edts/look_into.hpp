// SPDX-License-Identifier: Apache-2.0

// Data blocks that an event brings to an EDT which has waited for it, and for which it has to wait once more:
// ocrLegacyBlockProgress().
#pragma once

#include "ocr/graph/local.hpp"

namespace weir::ocr {

// The running EDT waits for a copy of the block of another rank in mode RW, and holds it from then on as if it had made
// the block; one that it holds already, it has. `copy`: null when the block is gone. 0, OCR_ENOMEM, or OCR_ECANCELED
// when the program ends before.
u8 hold_far_block(Local& local, Guid block, Block*& copy);
// The same of a block of this rank that others hold in a way that does not allow that, which is then in place, at
// `data`. Other codes as of hold_for_running().
u8 wait_for_hold(Local& local, Guid guid, Block*& block, std::byte*& data);

}  // namespace weir::ocr
