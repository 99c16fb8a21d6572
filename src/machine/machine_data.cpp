// SPDX-License-Identifier: Apache-2.0

#include "machine/machine_data.hpp"

#include <algorithm>
#include <cmath>

#include "machine/rank.hpp"
#include "weir/runtime.hpp"

namespace weir::machine {
namespace {

template <class Id>
std::size_t index(Id id) {
  return std::size_t(id);
}

}  // namespace

const char* to_string(MemoryKind kind) noexcept {
  switch (kind) {
    case MemoryKind::hbm: return "hbm";
    case MemoryKind::ddr: return "ddr";
    case MemoryKind::cxl: return "cxl";
    case MemoryKind::nvm: return "nvm";
    case MemoryKind::device: return "device";
    case MemoryKind::unknown: break;
  }
  return "unknown";
}

void finish(Machine::Data& data) {
  data.tiers.clear();
  for (std::size_t d = 0; d < data.domains.size(); ++d) {
    std::vector<RankedNode> nodes;
    for (const MemoryNode& node : data.memory_nodes) {
      if (!node.allowed) continue;
      nodes.push_back({node.id, node.kind, data.node_distance[d][index(node.id)], node.measured[d], node.claimed[d]});
    }
    data.tiers.push_back(rank(std::move(nodes)));
  }
}

bool Machine::is_this_system() const noexcept { return data_->is_this_system; }
const std::vector<Domain>& Machine::domains() const noexcept { return data_->domains; }
const std::vector<MemoryNode>& Machine::memory_nodes() const noexcept { return data_->memory_nodes; }
const Domain& Machine::domain(DomainId id) const noexcept { return data_->domains[index(id)]; }
const MemoryNode& Machine::memory_node(MemoryNodeId id) const noexcept { return data_->memory_nodes[index(id)]; }

int Machine::core_count() const noexcept {
  std::size_t count = 0;
  for (const Domain& domain : data_->domains) count += domain.cores.size();
  return int(count);
}

double Machine::cpu_quota() const noexcept { return data_->cpu_quota; }

int Machine::default_worker_count() const noexcept {
  const double quota = cpu_quota();
  const int most = std::min(core_count(), Runtime::kMaxWorkers);
  // A quota a hair above a whole number (period rounding) is that number.
  return quota > 0 ? std::clamp(int(std::ceil(quota - 0.01)), 1, most) : most;
}

Bytes Machine::last_level_cache() const noexcept { return data_->last_level_cache; }
Bytes Machine::all_last_level_caches() const noexcept { return data_->all_last_level_caches; }

double Machine::distance(DomainId from, DomainId to) const noexcept {
  return data_->domain_distance[index(from)][index(to)];
}

const std::vector<MemoryNodeId>& Machine::tiers(DomainId from) const noexcept { return data_->tiers[index(from)]; }

std::optional<MemoryNodeId> Machine::fast_node(DomainId domain) const noexcept {
  for (const MemoryNodeId id : data_->domains[index(domain)].local_nodes) {
    const MemoryNode& node = memory_node(id);
    if (node.kind == MemoryKind::hbm && node.allowed) return id;
  }
  return std::nullopt;
}

Machine Machine::with_measured(const std::vector<std::vector<Cost>>& costs) const {
  WEIR_CHECK(costs.size() == data_->memory_nodes.size(), "costs are given for every memory node");
  Data data = *data_;
  for (std::size_t node = 0; node < costs.size(); ++node) {
    WEIR_CHECK(costs[node].size() == data.domains.size(), "costs are given for every domain");
    data.memory_nodes[node].measured = costs[node];
  }
  finish(data);
  return Machine(std::make_shared<const Data>(std::move(data)));
}

Machine Machine::with_claimed(const std::vector<MemoryKind>& kinds, const std::vector<std::vector<Cost>>& costs,
                              const std::vector<Bytes>& side_caches) const {
  WEIR_CHECK(kinds.size() == data_->memory_nodes.size(), "a kind is given for every memory node");
  WEIR_CHECK(costs.size() == kinds.size(), "costs are given for every memory node");
  WEIR_CHECK(side_caches.empty() || side_caches.size() == kinds.size(),
             "a cache is given for every memory node, or none");
  Data data = *data_;
  for (std::size_t node = 0; node < kinds.size(); ++node) {
    const auto earlier = std::count(kinds.begin(), kinds.begin() + static_cast<std::ptrdiff_t>(node), kinds[node]);
    WEIR_CHECK(costs[node].size() == data.domains.size(), "costs are given for every domain");
    data.memory_nodes[node].claimed = costs[node];
    data.memory_nodes[node].kind = kinds[node];
    if (!side_caches.empty()) data.memory_nodes[node].side_cache = side_caches[node];
    data.memory_nodes[node].name = to_string(kinds[node]) + std::to_string(earlier);
  }
  finish(data);
  return Machine(std::make_shared<const Data>(std::move(data)));
}

}  // namespace weir::machine
