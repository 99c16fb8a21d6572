// SPDX-License-Identifier: Apache-2.0

// Hierarchy: the tiers, fastest first, and their nodes, as values: all that the engine knows of a machine.
//
// Made once from the tiers that were opened, or from a description that a simulation runs on. Never changes.
#pragma once

#include <string>
#include <vector>

#include "base/ids.hpp"
#include "data/engine/place.hpp"
#include "memory/policy/snapshot.hpp"

namespace weir::data::engine {

struct TierShape {
  std::string name;         // "hbm", "ddr", "file"
  bool ordinary = false;    // what the kernel gives programs by default
  bool on_package = false;  // high-bandwidth memory, faster than what programs get by default
  bool addressable = true;  // tasks can use it in place: all but files
  bool slowed = false;      // emulated: its use in place is charged for
  std::size_t budget = 0;   // bytes of its nodes together
  std::vector<NodeId> nodes;
};

struct NodeShape {
  std::string name;
  TierIndex tier = TierIndex::none;
};

struct Hierarchy {
  std::vector<TierShape> tiers;  // at least one that is addressable
  std::vector<NodeShape> nodes;
  // [domain][node]: each node as seen from the domain's cores; of a node of a file nothing but its tier means anything.
  std::vector<std::vector<memory::policy::ArenaState>> seen;

  const TierShape& tier(TierIndex tier) const noexcept { return tiers[index_of(tier)]; }
  TierIndex tier_of(NodeId node) const noexcept { return nodes[index_of(node)].tier; }
  const TierShape& tier_at(NodeId node) const noexcept { return tier(tier_of(node)); }
  bool has_file() const noexcept {
    for (const TierShape& tier : tiers)
      if (!tier.addressable) return true;
    return false;
  }
  // A tier that tasks can use has a faster one before it, and a slower one behind: it may hold copies of blocks that
  // live there.
  bool has_chain() const noexcept;
  // The nodes of a tier, the nearest to the domain first.
  std::vector<NodeId> nearest_first(TierIndex tier, DomainId domain) const;
};

}  // namespace weir::data::engine
