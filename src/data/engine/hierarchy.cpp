// SPDX-License-Identifier: Apache-2.0

#include "data/engine/hierarchy.hpp"

#include <algorithm>

namespace weir::data::engine {

std::vector<NodeId> Hierarchy::nearest_first(TierIndex wanted, DomainId domain) const {
  const std::vector<memory::policy::ArenaState>& from = seen[static_cast<std::size_t>(domain)];
  std::vector<NodeId> sorted = tier(wanted).nodes;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](NodeId a, NodeId b) { return from[index_of(a)].rank < from[index_of(b)].rank; });
  return sorted;
}

bool Hierarchy::has_chain() const noexcept {
  const auto usable = [](const TierShape& tier) { return tier.addressable; };
  const std::size_t before_last = tiers.empty() ? 0 : tiers.size() - 1;
  return std::count_if(tiers.begin(), tiers.begin() + static_cast<std::ptrdiff_t>(before_last), usable) > 1;
}

}  // namespace weir::data::engine
