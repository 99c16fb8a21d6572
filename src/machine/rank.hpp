// SPDX-License-Identifier: Apache-2.0

// The order of memory nodes as tiers of one domain: a pure function over costs.
#pragma once

#include <vector>

#include "machine/machine.hpp"

namespace weir::machine {

struct RankedNode {
  MemoryNodeId id{};
  MemoryKind kind = MemoryKind::unknown;
  double distance = 1;  // as seen from the domain; 1 for local memory
  Cost measured;        // from the domain
  Cost claimed;
};

// Best first. By measured read bandwidth when every node has one, else by claimed; else by an estimate from kind and
// distance: local HBM, HBM of the same package, local ordinary memory, HBM and ordinary memory of other packages, CXL,
// persistent memory. Equals: lower latency, then lower id.
std::vector<MemoryNodeId> rank(std::vector<RankedNode> nodes);

}  // namespace weir::machine
