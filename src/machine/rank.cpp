// SPDX-License-Identifier: Apache-2.0

#include "machine/rank.hpp"

#include <algorithm>
#include <tuple>

namespace weir::machine {
namespace {

// Bandwidth relative to ordinary local memory. Only the order of the quotients by the distance matters: HBM beside a
// domain, then HBM of the same package (1.2 to 1.5 away), ordinary memory, and HBM of another package (2 and more).
double typical_bandwidth(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::hbm: return 1.9;
    case MemoryKind::ddr: return 1;
    case MemoryKind::unknown: return 0.9;
    case MemoryKind::device: return 0.6;
    case MemoryKind::cxl: return 0.3;
    case MemoryKind::nvm: return 0.1;
  }
  return 0;
}

template <class CostOf>
bool all_known(const std::vector<RankedNode>& nodes, CostOf cost) {
  return std::all_of(nodes.begin(), nodes.end(), [&](const RankedNode& n) { return cost(n).read_gb_per_s > 0; });
}

template <class Value, class Latency>
std::vector<MemoryNodeId> sorted(std::vector<RankedNode>& nodes, Value bandwidth, Latency latency) {
  std::sort(nodes.begin(), nodes.end(), [&](const RankedNode& a, const RankedNode& b) {
    return std::tuple(-bandwidth(a), latency(a), a.id) < std::tuple(-bandwidth(b), latency(b), b.id);
  });
  std::vector<MemoryNodeId> ids;
  ids.reserve(nodes.size());
  for (const RankedNode& node : nodes) ids.push_back(node.id);
  return ids;
}

}  // namespace

std::vector<MemoryNodeId> rank(std::vector<RankedNode> nodes) {
  const auto measured = [](const RankedNode& node) { return node.measured; };
  const auto claimed = [](const RankedNode& node) { return node.claimed; };
  const auto by_cost = [&](auto cost) {
    return sorted(
        nodes, [&](const RankedNode& n) { return cost(n).read_gb_per_s; },
        [&](const RankedNode& n) { return cost(n).latency_ns; });
  };
  if (all_known(nodes, measured)) return by_cost(measured);
  if (all_known(nodes, claimed)) return by_cost(claimed);
  return sorted(
      nodes, [](const RankedNode& n) { return typical_bandwidth(n.kind) / n.distance; },
      [](const RankedNode& n) { return n.distance; });
}

}  // namespace weir::machine
