// SPDX-License-Identifier: Apache-2.0

// The end of a block: its memory is given up when it was destroyed and nothing holds or waits for it any more.
#pragma once

#include "ocr/blocks/block_local.hpp"

namespace weir::ocr {

// Under the lock: nothing holds, names or waits for it.
inline bool is_unused(const Block& block) noexcept {
  return block.strong == 0 && block.weak == 0 && block.named == 0 && block.first_waiting == nullptr;
}
// Locked and unused, dead or about to be: gives up everything.
void dispose(BlockLocal& local, Block& block) noexcept;
// Locked. Gives up the block if that is to be done, else unlocks it.
inline void unlock_or_dispose(BlockLocal& local, Block& block) noexcept {
  if (is_unused(block) && !block.word.alive())
    dispose(local, block);
  else
    block.word.unlock();
}
// Locked: one that counts on its memory less. Unlocks, and gives it up when that was all.
inline void unname(BlockLocal& local, Block& block) noexcept {
  --block.named;
  unlock_or_dispose(local, block);
}
// The memory of a small block, which the checker may have given.
void free_small(BlockLocal& local, std::byte* data, std::uint64_t bytes, PoolId pool) noexcept;

}  // namespace weir::ocr
