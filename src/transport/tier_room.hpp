// SPDX-License-Identifier: Apache-2.0

// TierRoom: how many addresses ranks set aside for the tiers of each, and for copies on their way to others.
//
// Addresses, not memory: as much as the tiers of a rank could ever have, whatever is free at this moment. Where ulimit
// -v limits addresses it is what that leaves, and where a host has much memory and many ranks a share of what a process
// can address: a rank maps what all ranks of its host set aside.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "memory/tier_set.hpp"
#include "transport/region_memory.hpp"
#include "transport/transport.hpp"

namespace weir::transport {

struct TierRoom {
  // What a rank brings to the agreement.
  struct Wish {
    static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

    std::uint64_t host = 0;         // bytes of its memory; 0: not known
    std::uint64_t asked = 0;        // bytes of tiers whose sizes are said
    std::uint64_t left = kNoLimit;  // addresses that ulimit -v leaves it
    std::uint64_t neighbours = 1;   // ranks of its host, itself among them
  };

  Bytes tiers;  // of each rank
  Bytes copies;
  const char* limit = nullptr;  // why it is less than the host's memory, for people; null: it is not

  // What the wishes of all ranks come to: the host's memory and a quarter of that. With a limit, half of what that
  // leaves, or of what a process can address, belongs to the program, and a rank has its share of the rest, or what is
  // asked if that is more. Pure.
  static TierRoom of(std::span<const Wish> wishes) noexcept;
  // Collective. `spec`: the tiers that this rank is asked for (Options::tiers).
  static base::Result<TierRoom> agree(Transport& transport, std::string_view spec);

  Bytes all() const noexcept { return {tiers.count + copies.count}; }
  // What the tiers of a rank may have together, whatever pages their pieces are rounded up to.
  Bytes most() const noexcept;
  // For tiers that stand on `region`, which outlives them.
  memory::TierSetConfig tiers_in(RegionMemory& region, unsigned processes) const;
};

}  // namespace weir::transport
