// SPDX-License-Identifier: Apache-2.0

#include "ocr/blocks/slabs.hpp"

#include <new>

#include "base/mutex.hpp"
#include "ocr/blocks/holds.hpp"

namespace weir::ocr {

namespace {

// Less where there is little memory: slabs of several sizes of blocks are not to fill it.
std::size_t slab_bytes(data::Store& store) noexcept {
  constexpr std::size_t kPart = 64;
  std::size_t bytes = BlockPools::kLargestSlab;
  for (const data::Tier& tier : store.tiers().tiers())
    for (const data::Arena* const arena : tier.arenas)
      while (bytes > BlockPools::kLargest && bytes > arena->budget() / kPart) bytes /= 2;
  return bytes;
}

}  // namespace

Slabs::Slabs(Tiers& tiers)
    : tiers_(tiers), pools_(tiers.pool_count(), slab_bytes(tiers.store()), [this](BlockLocal& local, PoolId pool) {
        return make_slab(local, pool);
      }) {}

// A slab is in memory for ever. Where that has no room left, others have to leave: it is held as a running EDT's block
// is.
std::byte* Slabs::make_slab(BlockLocal& local, PoolId pool) noexcept {
  data::Store& store = tiers_.store();
  Place place = Tiers::place_of(pool);
  place.hint.pinned = place.hint.counts_holds = true;
  constexpr const char* kName = "small data blocks";
  try {
    Slab slab;
    auto made = store.make(weir::detail::contiguous(pools_.slab_bytes()), nullptr, kName,
                           tiers_.machine_domain(place.domain), place.hint);
    if (made) {
      slab.block.reset(*made);
    } else {
      place.hint.pinned = false;
      slab.block.reset(tiers_.make(pools_.slab_bytes(), place, kName));
      if (slab.block == nullptr) return nullptr;
      if (begin_hold(local, *slab.block, Mode::out, slab.hold) != 0) {
        static_cast<void>(store.drop(slab.block.release()));
        return nullptr;
      }
    }
    std::byte* const data = address_of(*slab.block, slab.hold.get());
    const base::Lock lock(mutex_);
    slabs_.push_back(std::move(slab));
    return data;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

std::uint64_t Slabs::bytes() noexcept {
  const base::Lock lock(mutex_);
  return slabs_.size() * pools_.slab_bytes();
}

}  // namespace weir::ocr
