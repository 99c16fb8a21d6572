// SPDX-License-Identifier: Apache-2.0

#include "data/engine/hierarchy.hpp"

#include <algorithm>

namespace weir::data::engine {

std::vector<NodeId> Hierarchy::nearest_first(TierIndex wanted, int domain) const {
  const std::vector<memory::policy::ArenaState>& from = seen[static_cast<std::size_t>(domain)];
  std::vector<NodeId> sorted = tier(wanted).nodes;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](NodeId a, NodeId b) { return from[index_of(a)].rank < from[index_of(b)].rank; });
  return sorted;
}

}  // namespace weir::data::engine
