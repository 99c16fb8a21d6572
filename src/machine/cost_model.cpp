// SPDX-License-Identifier: Apache-2.0

#include "machine/cost_model.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "machine/machine_data.hpp"

namespace weir::machine {
namespace {

constexpr double kGiga = 1e9, kNano = 1e-9;
// Cache lines that a core and its prefetchers keep in flight: 14 GB/s at 110 ns, 10 GB/s at 150 ns.
constexpr double kLineBytes = 64, kLinesInFlight = 24;

double bytes_per_second(double gb_per_s) noexcept { return gb_per_s * kGiga; }

// No memory is as far away as that: behind it is a device, which a core asks for more than lines.
constexpr double kDeviceLatencyNs = 5'000;

// Seconds a byte for one core alone.
double core_seconds_per_byte(const Cost& cost) noexcept {
  return cost.latency_ns < kDeviceLatencyNs ? cost.latency_ns * kNano / (kLineBytes * kLinesInFlight) : 0;
}

double node_seconds(const Cost& cost, Traffic traffic) noexcept {
  return static_cast<double>(traffic.read) / bytes_per_second(cost.read_gb_per_s) +
         static_cast<double>(traffic.written) / bytes_per_second(cost.write_gb_per_s);
}

}  // namespace

CostModel::CostModel(std::vector<std::vector<Cost>> costs) : costs_(std::move(costs)) {
  WEIR_CHECK(!costs_.empty() && !costs_.front().empty(), "a cost model has a node and a domain");
  for (std::vector<Cost>& node : costs_) {
    WEIR_CHECK(node.size() == costs_.front().size(), "a node's cost is known from every domain");
    for (Cost& cost : node) {
      WEIR_CHECK(cost.read_gb_per_s > 0, "a node has a bandwidth");
      if (cost.write_gb_per_s <= 0) cost.write_gb_per_s = cost.read_gb_per_s;
    }
  }
}

double CostModel::busy_seconds(std::size_t node, DomainId domain, Traffic traffic) const noexcept {
  return node_seconds(cost(node, domain), traffic);
}

double CostModel::in_place_seconds(std::size_t node, DomainId domain, Traffic traffic, unsigned others) const noexcept {
  const Cost& here = cost(node, domain);
  if (traffic.read + traffic.written == 0) return 0;
  const double shared = (1.0 + others) * node_seconds(here, traffic);
  const double alone = static_cast<double>(traffic.read + traffic.written) * core_seconds_per_byte(here);
  return here.latency_ns * kNano + std::max(shared, alone);
}

double CostModel::copy_seconds(std::size_t from, std::size_t to, std::uint64_t bytes,
                               OtherStreams others) const noexcept {
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t domain = 0; domain < domains(); ++domain)
    best = std::min(best, copy_seconds(costs_[from][domain], costs_[to][domain], from == to, bytes, others));
  return best;
}

double CostModel::copy_seconds(const Cost& from, const Cost& to, bool same, std::uint64_t bytes,
                               OtherStreams others) const noexcept {
  if (bytes == 0) return 0;
  const double reading = (1.0 + others.from) * node_seconds(from, {bytes, 0});
  const double writing = (1.0 + others.to) * node_seconds(to, {0, bytes});
  const double slowest = same ? reading + writing : std::max(reading, writing);
  const double alone = static_cast<double>(bytes) * std::max(core_seconds_per_byte(from), core_seconds_per_byte(to));
  return from.latency_ns * kNano + std::max(slowest, alone);
}

double CostModel::slow_share(std::size_t fast, std::size_t slow, DomainId domain) const noexcept {
  const double quick = cost(fast, domain).read_gb_per_s, low = cost(slow, domain).read_gb_per_s;
  return low / (quick + low);
}

Cost typical_cost(MemoryKind kind, double distance, int cores) noexcept {
  struct Typical {
    double read, write, latency_ns;  // bandwidths in parts of ordinary memory's
  };
  static constexpr double kOrdinaryPerCore = 8;  // GB/s
  const Typical typical = [kind]() -> Typical {
    switch (kind) {
      case MemoryKind::hbm: return {4, 4, 130};
      case MemoryKind::ddr: return {1, 0.8, 100};
      case MemoryKind::unknown: return {0.9, 0.7, 110};
      case MemoryKind::device: return {0.5, 0.5, 600};
      case MemoryKind::cxl: return {0.3, 0.25, 250};
      case MemoryKind::nvm: return {0.15, 0.05, 300};
    }
    return {1, 1, 100};
  }();
  const double ordinary = kOrdinaryPerCore * std::max(cores, 1) / distance;
  return {typical.read * ordinary, typical.write * ordinary, typical.latency_ns * distance};
}

namespace {

// What firmware says of a node for the cores of a domain; else what it says for those that the node is local to, made
// slower by the distance. Without a bandwidth: it says nothing.
Cost claimed_cost(const Machine& machine, const MemoryNode& node, std::size_t domain) {
  if (domain < node.claimed.size() && node.claimed[domain].read_gb_per_s > 0) return node.claimed[domain];
  const double distance = machine.data().node_distance[domain][static_cast<std::size_t>(node.id)];
  for (const DomainId local : node.local_domains) {
    const auto index = static_cast<std::size_t>(local);
    if (index >= node.claimed.size() || node.claimed[index].read_gb_per_s <= 0) continue;
    const Cost& there = node.claimed[index];
    return {there.read_gb_per_s / distance, there.write_gb_per_s / distance, there.latency_ns * distance};
  }
  return {};
}

}  // namespace

const char* to_string(CostSource source) noexcept {
  switch (source) {
    case CostSource::measured: return "measured";
    case CostSource::claimed: return "claimed by firmware";
    case CostSource::typical: break;
  }
  return "typical of such memory";
}

CostSource source_of_costs(const Machine& machine, DomainId domain) {
  const std::vector<MemoryNode>& nodes = machine.memory_nodes();
  const auto d = static_cast<std::size_t>(domain);
  const auto is_measured = [&](const MemoryNode& n) {
    return d < n.measured.size() && n.measured[d].read_gb_per_s > 0;
  };
  const auto is_claimed = [&](const MemoryNode& n) { return claimed_cost(machine, n, d).read_gb_per_s > 0; };
  if (std::all_of(nodes.begin(), nodes.end(), is_measured)) return CostSource::measured;
  return std::all_of(nodes.begin(), nodes.end(), is_claimed) ? CostSource::claimed : CostSource::typical;
}

std::vector<std::vector<Cost>> costs_of(const Machine& machine) {
  const std::vector<MemoryNode>& nodes = machine.memory_nodes();
  std::vector<std::vector<Cost>> costs(nodes.size());
  for (std::size_t d = 0; d < machine.domains().size(); ++d) {
    const CostSource source = source_of_costs(machine, DomainId(d));
    const auto cores = static_cast<int>(machine.domains()[d].cores.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      switch (source) {
        case CostSource::measured: costs[n].push_back(nodes[n].measured[d]); break;
        case CostSource::claimed: costs[n].push_back(claimed_cost(machine, nodes[n], d)); break;
        case CostSource::typical:
          costs[n].push_back(typical_cost(nodes[n].kind, machine.data().node_distance[d][n], cores));
      }
    }
  }
  return costs;
}

}  // namespace weir::machine
