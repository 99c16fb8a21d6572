// SPDX-License-Identifier: Apache-2.0

// Blocks in place for a thread, outside of an EDT's dependences: those that it makes or has waited for. Any thread that
// has a BlockLocal, its own.
#pragma once

#include <memory>

#include "ocr/blocks/block_local.hpp"
#include "weir/footprint.hpp"

namespace weir::ocr {

// Brings the block into place and keeps it there until end_hold(). Blocks while there is no room. `hold`: null
// afterwards while blocks are not tracked. 0, or OCR_ENOMEM or OCR_EIO, of which standard error says the first.
u8 begin_hold(BlockLocal& local, data::Block& block, Mode mode, std::unique_ptr<Hold>& hold);
void end_hold(data::Block& block, std::unique_ptr<Hold> hold) noexcept;
std::byte* address_of(const data::Block& block, const Hold* hold) noexcept;

// The block stays in place for the calling thread although it does not hold it in the sense of OCR: for the running EDT
// until that releases it or ends, outside of EDTs until it is released there or destroyed. 0 or a code.
u8 pin(BlockLocal& local, Block& block, Mode mode, std::byte*& address);
// Where a block is for a thread outside of EDTs.
std::byte* address_outside(const BlockLocal& local, const Block& block) noexcept;
bool has_pin(const Run& run, const Block& block) noexcept;
// Ends a pin of the running EDT, or one of threads outside of EDTs. False: there was none of that block.
bool unpin(BlockLocal& local, Guid block);
bool unpin_outside(BlockLocal& local, Guid block);
void unpin_all(BlockLocal& local, Run& run);
// Where a block is that the EDT, which runs, has acquired.
std::byte* address_in(const Run& run, const Block& block) noexcept;

}  // namespace weir::ocr
