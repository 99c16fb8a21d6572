#include "machine/classify.hpp"

namespace weir::machine {
namespace {

constexpr double kDifferent = 1.5;   // KNL's HBM has 4.5x the bandwidth of its DDR; CXL 2x the latency
constexpr double kSameLatency = 1.25;
constexpr double kSlowWrites = 2;    // Optane DC reads 2.5 to 3 times as fast as it writes

struct Judgement {
  MemoryKind node;
  bool reference_is_hbm = false;
};

MemoryKind slow_kind(const Cost& cost) {
  return cost.write_gb_per_s > 0 && cost.read_gb_per_s >= kSlowWrites * cost.write_gb_per_s ? MemoryKind::nvm
                                                                                           : MemoryKind::cxl;
}

Judgement by_bandwidth(const Cost& node, const Cost& reference) {
  const bool latency_known = node.latency_ns > 0 && reference.latency_ns > 0;
  const bool far = latency_known && node.latency_ns >= kDifferent * reference.latency_ns;
  if (node.read_gb_per_s >= kDifferent * reference.read_gb_per_s) return {MemoryKind::hbm};
  if (reference.read_gb_per_s >= kDifferent * node.read_gb_per_s) {
    const bool near = latency_known && node.latency_ns <= kSameLatency * reference.latency_ns;
    return near ? Judgement{MemoryKind::ddr, true} : Judgement{slow_kind(node)};
  }
  return {far ? slow_kind(node) : MemoryKind::ddr};
}

MemoryKind by_place(const NodeFacts& node, const NodeFacts& reference) {
  if (node.farther || node.capacity > reference.capacity) return MemoryKind::cxl;
  return node.capacity < reference.capacity ? MemoryKind::hbm : MemoryKind::unknown;
}

Judgement judge(const NodeFacts& node, const NodeFacts& reference) {
  if (node.best.read_gb_per_s > 0 && reference.best.read_gb_per_s > 0) return by_bandwidth(node.best, reference.best);
  if (reference.best.latency_ns > 0 && node.best.latency_ns >= kDifferent * reference.best.latency_ns) {
    return {MemoryKind::cxl};
  }
  return {by_place(node, reference)};
}

MemoryKind stated_kind(NodeFacts::Stated stated) {
  switch (stated) {
    case NodeFacts::Stated::device: return MemoryKind::device;
    case NodeFacts::Stated::nvm: return MemoryKind::nvm;
    case NodeFacts::Stated::cxl: return MemoryKind::cxl;
    case NodeFacts::Stated::nothing: break;
  }
  return MemoryKind::ddr;
}

}  // namespace

std::vector<MemoryKind> classify(const std::vector<NodeFacts>& nodes) {
  std::vector<MemoryKind> kinds;
  for (const NodeFacts& node : nodes) kinds.push_back(stated_kind(node.stated));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeFacts& node = nodes[i];
    if (node.stated != NodeFacts::Stated::nothing || node.has_cores || node.reference < 0) continue;
    const auto reference = std::size_t(node.reference);
    const Judgement judgement = judge(node, nodes[reference]);
    kinds[i] = judgement.node;
    if (judgement.reference_is_hbm) kinds[reference] = MemoryKind::hbm;
  }
  return kinds;
}

}  // namespace weir::machine
