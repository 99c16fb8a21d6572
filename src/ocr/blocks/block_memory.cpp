// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/block_memory.hpp"

#include <utility>

#include "base/mutex.hpp"

namespace weir::ocr {

BlockPools::BlockPools(std::size_t count, std::size_t slab_bytes,
                       std::function<std::byte*(BlockLocal&, PoolId)> new_slab)
    : slab_bytes_(slab_bytes), new_slab_(std::move(new_slab)) {
  for (std::size_t i = 0; i < count; ++i) pools_.push_back(std::make_unique<Pool>());
}

BlockPools::List BlockPools::take(BlockLocal& local, PoolId pool, std::size_t c) noexcept {
  Pool& from = *pools_[pool];
  List list;
  {
    const base::Lock lock(from.mutex);
    if (!from.batches[c].empty()) {
      list = from.batches[c].back();
      from.batches[c].pop_back();
      return list;
    }
  }
  std::byte* const slab = new_slab_(local, pool);
  if (slab == nullptr) return list;
  const std::size_t piece = kSmallest << c;
  for (std::size_t at = slab_bytes_; at >= piece; at -= piece) {
    list.first = ::new (static_cast<void*>(slab + at - piece)) Piece{list.first};
    ++list.count;
  }
  return list;
}

void BlockPools::give(PoolId pool, std::size_t c, List batch) noexcept {
  Pool& to = *pools_[pool];
  const base::Lock lock(to.mutex);
  to.batches[c].push_back(batch);
}

void BlockMemory::give_batch(PoolId pool, std::size_t c) noexcept {
  BlockPools::List& list = caches_[pool][c];
  BlockPools::Piece* const first = list.first;
  BlockPools::Piece* last = first;
  for (std::uint32_t i = 1; i < BlockPools::kBatch[c]; ++i) last = last->next;
  list.first = last->next;
  list.count -= BlockPools::kBatch[c];
  last->next = nullptr;
  pools_.give(pool, c, {first, BlockPools::kBatch[c]});
}

}  // namespace weir::ocr
