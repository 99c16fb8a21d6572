// SPDX-License-Identifier: Apache-2.0

// BlockMemory: the memory of small data blocks: a cache per worker, filled from pools of slabs.
//
// A pool is the memory of one domain and one kind (tiers.hpp); its slabs come from the owner of the pools (slabs.hpp),
// stay where they are, and end with them. A BlockMemory is part of a BlockLocal and used by its thread only; what one
// thread allocated another may free, to the pool it came from. Memory is aligned to 64 bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.hpp"

namespace weir::ocr {

struct BlockLocal;
using PoolId = std::uint16_t;

class BlockPools {
 public:
  static constexpr std::size_t kSmallest = 64, kClasses = 7, kLargest = kSmallest << (kClasses - 1);
  static constexpr std::size_t kLargestSlab = std::size_t{1} << 16;
  // Pieces that a worker gives to others, or takes, at once, by class: at most 32 KiB.
  static constexpr std::array<std::uint32_t, kClasses> kBatch{64, 64, 64, 64, 32, 16, 8};

  struct Piece {
    Piece* next;
  };
  struct List {
    Piece* first = nullptr;
    std::uint32_t count = 0;
  };

  // `new_slab` gives slab_bytes, which are a whole number of kLargest, or null; it may wait, on the thread whose
  // BlockLocal it is given.
  BlockPools(std::size_t count, std::size_t slab_bytes, std::function<std::byte*(BlockLocal&, PoolId)> new_slab);

  static std::size_t size_class(std::uint64_t bytes) noexcept {
    return bytes <= kSmallest ? 0 : 58 - static_cast<std::size_t>(__builtin_clzll(bytes - 1));
  }
  std::size_t count() const noexcept { return pools_.size(); }
  std::size_t slab_bytes() const noexcept { return slab_bytes_; }
  // Pieces of a class; none when there is no memory. Any thread.
  List take(BlockLocal& local, PoolId pool, std::size_t c) noexcept;
  // kBatch[c] pieces.
  void give(PoolId pool, std::size_t c, List batch) noexcept;

 private:
  struct Pool {
    base::Mutex mutex;
    std::array<std::vector<List>, kClasses> batches WEIR_GUARDED_BY(mutex);
  };
  std::vector<std::unique_ptr<Pool>> pools_;
  const std::size_t slab_bytes_;
  const std::function<std::byte*(BlockLocal&, PoolId)> new_slab_;
};

class BlockMemory {
 public:
  BlockMemory(BlockPools& pools, BlockLocal& owner) : pools_(pools), owner_(owner), caches_(pools.count()) {}
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;

  // At most BlockPools::kLargest bytes. Null when there is not that much. Budget: 3 loads, 2 stores, 1 branch.
  std::byte* allocate(std::uint64_t bytes, PoolId pool) noexcept {
    const std::size_t c = BlockPools::size_class(bytes);
    BlockPools::List& list = caches_[pool][c];
    if (list.first == nullptr) [[unlikely]] {
      list = pools_.take(owner_, pool, c);
      if (list.first == nullptr) return nullptr;
    }
    BlockPools::Piece* const piece = list.first;
    list.first = piece->next;
    --list.count;
    return reinterpret_cast<std::byte*>(piece);
  }
  void free(std::byte* data, std::uint64_t bytes, PoolId pool) noexcept {
    const std::size_t c = BlockPools::size_class(bytes);
    BlockPools::List& list = caches_[pool][c];
    list.first = ::new (static_cast<void*>(data)) BlockPools::Piece{list.first};
    if (++list.count >= 2 * BlockPools::kBatch[c]) [[unlikely]]
      give_batch(pool, c);
  }

 private:
  [[gnu::noinline]] void give_batch(PoolId pool, std::size_t c) noexcept;

  BlockPools& pools_;
  BlockLocal& owner_;
  std::vector<std::array<BlockPools::List, BlockPools::kClasses>> caches_;  // by pool
};

}  // namespace weir::ocr
