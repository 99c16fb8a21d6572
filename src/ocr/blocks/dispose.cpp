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

[[gnu::noinline]] void free_extras(Block& block) noexcept {
  delete std::exchange(block.heap, nullptr);
  delete std::exchange(block.hint, nullptr);
}

}  // namespace

void dispose(BlockLocal& local, Block& block) noexcept {
  if (local.worker->track() != nullptr) [[unlikely]]
    trace_block_gone(local, block);
  data::Block* const tier = block.is_tiered() ? &block.tier() : nullptr;
  if (tier == nullptr) free_small(local, block.small(), block.size, block.pool);
  block.memory = 0;
  if (block.heap != nullptr || block.hint != nullptr) [[unlikely]]
    free_extras(block);
  retire(local, blocks(), local.blocks, block);
  // Without the lock: it waits for transfers.
  if (tier != nullptr) [[unlikely]]
    static_cast<void>(tier->store->drop(tier));
}

void free_small(BlockLocal& local, std::byte* data, std::uint64_t bytes, PoolId pool) noexcept {
  if (checking::active()) [[unlikely]]
    return checking::free_block(data);
  local.memory.free(data, bytes, pool);
}

}  // namespace weir::ocr
