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

// The block stays in place for the calling thread, which is outside of EDTs and so holds nothing in the sense of OCR,
// until it is released there or destroyed: one release ends it, however often the thread has asked for it. 0 or a code.
u8 pin(BlockLocal& local, Block& block, Mode mode, std::byte*& address);
// Where a block is for a thread outside of EDTs.
std::byte* address_outside(const BlockLocal& local, const Block& block) noexcept;
// Ends a pin of such threads, the caller's rather than another's. None: there was none of that block.
enum class Unpinned : std::uint8_t { none, last, others_remain };
Unpinned unpin_outside(BlockLocal& local, Guid block);
// Where a block is that the EDT, which runs, holds.
std::byte* address_in(const Run& run, const Block& block) noexcept;

}  // namespace weir::ocr
