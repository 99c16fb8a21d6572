// SPDX-License-Identifier: Apache-2.0

// Chains of tiers: what a tier does for blocks that live in a slower one.
#pragma once

#include "data/snapshot.hpp"

namespace weir::data::policy {

// Homes take all but this part of a tier once a block lives behind it; the rest is for copies of such blocks.
// docs/tuning/data.md#chains-of-tiers
inline constexpr std::size_t kCachePart = 4;

// A replica leaves a faster tier; `room` are the bytes free in a tier between that and its home, and `first` is what
// would leave that tier first. It goes down there, displacing only what costs nothing and is needed later. What is
// known to be needed later and dirty is written home (clean), and costs nothing from then on; what leaves goes home
// this time. What was used longest ago may be needed next: it is not worth that.
enum class Descent : std::uint8_t { down, displace, clean, home };
constexpr Descent descend(Evict rule, const Candidate& leaving, std::size_t room, const Candidate* first) noexcept {
  if (room >= leaving.bytes) return Descent::down;
  if (first == nullptr) return Descent::home;
  const bool later = rule == Evict::next_use ? first->next_use > leaving.next_use : first->last_use < leaving.last_use;
  if (!later) return Descent::home;
  if (!first->dirty) return Descent::displace;
  return rule == Evict::next_use ? Descent::clean : Descent::home;
}

}  // namespace weir::data::policy
