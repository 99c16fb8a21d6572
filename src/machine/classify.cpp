// SPDX-License-Identifier: Apache-2.0

#include "machine/classify.hpp"

#include <algorithm>
#include <tuple>

namespace weir::machine {
namespace {

constexpr double kDifferent = 1.5;  // KNL's HBM has 4.5x the bandwidth of its DDR; CXL 2x the latency
constexpr double kSlowWrites = 2;   // Optane DC reads 2.5 to 3 times as fast as it writes

MemoryKind slow_kind(const Cost& cost) {
  return cost.write_gb_per_s > 0 && cost.read_gb_per_s >= kSlowWrites * cost.write_gb_per_s ? MemoryKind::nvm
                                                                                            : MemoryKind::cxl;
}

bool answers_late(const Cost& node, const Cost& ordinary) {
  return ordinary.latency_ns > 0 && node.latency_ns >= kDifferent * ordinary.latency_ns;
}

MemoryKind by_bandwidth(const Cost& node, const Cost& ordinary) {
  if (node.read_gb_per_s >= kDifferent * ordinary.read_gb_per_s) return MemoryKind::hbm;
  const bool less = ordinary.read_gb_per_s >= kDifferent * node.read_gb_per_s;
  return less || answers_late(node, ordinary) ? slow_kind(node) : MemoryKind::ddr;
}

MemoryKind by_place(const NodeFacts& node, const NodeFacts& ordinary) {
  if (node.locality != ordinary.locality || node.capacity > ordinary.capacity) return MemoryKind::cxl;
  return node.capacity < ordinary.capacity ? MemoryKind::hbm : MemoryKind::unknown;
}

MemoryKind compare(const NodeFacts& node, const NodeFacts& ordinary) {
  if (node.best.read_gb_per_s > 0 && ordinary.best.read_gb_per_s > 0) return by_bandwidth(node.best, ordinary.best);
  return answers_late(node.best, ordinary.best) ? MemoryKind::cxl : by_place(node, ordinary);
}

MemoryKind kind_of(const std::vector<NodeFacts>& nodes, std::size_t index) {
  const NodeFacts& node = nodes[index];
  switch (node.stated) {
    case NodeFacts::Stated::device: return MemoryKind::device;
    case NodeFacts::Stated::nvm: return MemoryKind::nvm;
    case NodeFacts::Stated::cxl: return MemoryKind::cxl;
    case NodeFacts::Stated::nothing: break;
  }
  const int ordinary = ordinary_node(nodes, node.compared);
  if (ordinary < 0 || ordinary == int(index)) return MemoryKind::ddr;
  return compare(node, nodes[std::size_t(ordinary)]);
}

}  // namespace

int ordinary_node(const std::vector<NodeFacts>& nodes, int locality) {
  std::vector<int> candidates;
  bool all_latencies = true;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].locality != locality || nodes[i].stated != NodeFacts::Stated::nothing) continue;
    candidates.push_back(int(i));
    all_latencies = all_latencies && nodes[i].best.latency_ns > 0;
  }
  // The smallest key wins; equals stay in their order.
  const auto key = [&](int index) {
    const NodeFacts& node = nodes[std::size_t(index)];
    return std::tuple(all_latencies ? node.best.latency_ns : 0.0, node.has_cores.value_or(false) ? 0 : 1,
                      ~node.capacity.count);
  };
  const auto best =
      std::min_element(candidates.begin(), candidates.end(), [&](int a, int b) { return key(a) < key(b); });
  return best == candidates.end() ? -1 : *best;
}

std::vector<MemoryKind> classify(const std::vector<NodeFacts>& nodes) {
  std::vector<MemoryKind> kinds;
  for (std::size_t i = 0; i < nodes.size(); ++i) kinds.push_back(kind_of(nodes, i));
  return kinds;
}

}  // namespace weir::machine
