// SPDX-License-Identifier: Apache-2.0

// From the last slot to the ready queue: an EDT acquires its blocks in the order of their GUIDs.
#pragma once

#include "ocr/objects/block.hpp"
#include "ocr/objects/edt.hpp"

namespace weir::ocr {

struct Local;

// The EDT waits for blocks no more: acquires the next, or becomes ready.
void acquire_blocks(Local& local, Edt& edt);
// The block that it waits for is its own.
void block_granted(Local& local, Edt& edt, Block& block);
// It does not exist: the EDT goes on without it.
void block_missing(Local& local, Edt& edt);

}  // namespace weir::ocr
