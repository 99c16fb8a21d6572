// SPDX-License-Identifier: Apache-2.0

// Spread: whom a rank tells of what one of them tells all, so that none tells more than log2(ranks) others, rounded up.
//
// A binomial tree, as broadcasts have it: counted from the root, rank i tells i + 2^k for every 2^k > i. R. Thakur,
// R. Rabenseifner, W. Gropp: Optimization of collective communication operations in MPICH, 2005.
#pragma once

#include <bit>
#include <cstdint>

#include "base/ids.hpp"

namespace weir::cluster {

// Calls tell(rank) for each that `self` tells when `root` is the first who knows.
template <class Tell>
void spread(Rank root, Rank self, std::uint32_t ranks, const Tell& tell) {
  const std::uint64_t from = static_cast<std::uint32_t>(root), all = ranks;
  const std::uint64_t place = (static_cast<std::uint32_t>(self) + all - from) % all;
  for (std::uint64_t step = place == 0 ? 1 : 2 * std::bit_floor(place); place + step < all; step *= 2)
    tell(Rank{static_cast<std::uint32_t>((from + place + step) % all)});
}

// Who tells `self`, which is another than `root`.
inline Rank told_by(Rank root, Rank self, std::uint32_t ranks) noexcept {
  const std::uint64_t from = static_cast<std::uint32_t>(root), all = ranks;
  const std::uint64_t place = (static_cast<std::uint32_t>(self) + all - from) % all;
  return Rank{static_cast<std::uint32_t>((from + place - std::bit_floor(place)) % all)};
}

}  // namespace weir::cluster
