// SPDX-License-Identifier: Apache-2.0

// Slabs: the memory that small blocks are cut from, by domain and kind. A slab is a block of the data layer that stays
// in memory. One Slabs per System, which outlives the Locals; any thread.
#pragma once

#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "ocr/blocks/block_memory.hpp"
#include "ocr/blocks/tiers.hpp"

namespace weir::ocr {

class Slabs {
 public:
  explicit Slabs(Tiers& tiers);
  Slabs(const Slabs&) = delete;
  Slabs& operator=(const Slabs&) = delete;

  BlockPools& pools() noexcept { return pools_; }
  // What the slabs take of the tiers: never given back.
  std::uint64_t bytes() noexcept;

 private:
  std::byte* make_slab(BlockLocal& local, PoolId pool) noexcept;

  struct Slab {
    std::unique_ptr<data::Block> block;
    std::unique_ptr<Hold> hold;
  };
  Tiers& tiers_;
  BlockPools pools_;
  base::Mutex mutex_;
  std::vector<Slab> slabs_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::ocr
