// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/dispose.hpp"

#include <utility>

#include "ocr/blocks/block_heap.hpp"
#include "ocr/objects/label.hpp"
#include "ocr/observe/checking.hpp"
#include "ocr/observe/tracing.hpp"
#include "runtime/blocks.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

namespace {

bool is_unused(const Block& block) noexcept {
  return block.strong == 0 && block.weak == 0 && block.named == 0 && block.first_waiting == nullptr &&
         !block.word.alive();
}

// Locked, dead and unused: gives up everything.
void dispose(BlockLocal& local, Block& block) noexcept {
  if (local.worker->track() != nullptr) [[unlikely]]
    trace_block_gone(local, block);
  data::Block* const tier = block.is_tiered() ? &block.tier() : nullptr;
  if (tier == nullptr) free_small(local, block.small(), block.size, block.pool);
  block.memory = 0;
  delete std::exchange(block.heap, nullptr);
  delete std::exchange(block.hint, nullptr);
  retire(local, blocks(), local.blocks, block);
  // Without the lock: it waits for transfers.
  if (tier != nullptr) [[unlikely]]
    static_cast<void>(tier->store->drop(tier));
}

}  // namespace

void free_small(BlockLocal& local, std::byte* data, std::uint64_t bytes, PoolId pool) noexcept {
  if (!checking::free_block(data)) local.memory.free(data, bytes, pool);
}

void unlock_or_dispose(BlockLocal& local, Block& block) noexcept {
  if (is_unused(block))
    dispose(local, block);
  else
    block.word.unlock();
}

}  // namespace weir::ocr
