// SPDX-License-Identifier: Apache-2.0

#include "machine/machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>

#include "machine/description.hpp"
#include "machine/machine_data.hpp"
#include "machine/measured_file.hpp"
#include "machine/rank.hpp"
#include "machine/read_topology.hpp"
#include "platform/affinity.hpp"
#include "platform/cgroup.hpp"
#include "platform/pages.hpp"

namespace weir::machine {
namespace {

// hwloc was told by HWLOC_XMLFILE or HWLOC_SYNTHETIC to read another machine when this is not called.
void complete_from_kernel(Machine::Data& data) {
  data.cpu_quota = platform::cpu_quota();
  // Under a memory balloon the node's figure lags behind the system's.
  if (data.memory_nodes.size() == 1) {
    data.memory_nodes[0].capacity = std::max(data.memory_nodes[0].capacity, platform::total_memory());
  }
}

base::Result<Machine> read_this_system(const std::vector<int>& usable_cpus) {
  const Topology topology = new_topology();
  if (!topology || hwloc_topology_load(topology.get()) != 0) {
    return base::Status{base::Code::unsupported,
                        "hwloc cannot read this system's topology; are /proc and /sys mounted?"};
  }
  base::Result<Machine::Data> read = read_topology(topology.get(), &usable_cpus);
  if (!read) return base::Status{base::Code::unsupported, "this system: " + read.status().message};
  Machine::Data data = std::move(read).value();
  if (data.is_this_system) complete_from_kernel(data);
  finish(data);
  Machine machine(std::make_shared<const Machine::Data>(std::move(data)));
  const auto measured = load_measured(machine);
  return measured ? machine.with_measured(*measured) : machine;
}

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

base::Result<Machine> Machine::discover() {
  using ByMask = std::map<std::vector<int>, Machine>;
  static constinit ByMask* known = nullptr;  // by affinity mask; guarded by hwloc_lock()
  std::vector<int> usable_cpus = platform::unbound_cpus();
  std::unique_lock lock = hwloc_lock();
  if (const char* const file = std::getenv("HWLOC_XMLFILE"); file != nullptr && known == nullptr) {
    lock.unlock();  // a fork takes it
    if (base::Status status = try_file(file); !status) return status;
    lock.lock();
  }
  if (known == nullptr) known = new ByMask;  // never destroyed: a runtime may be made during static destruction
  const auto found = known->find(usable_cpus);
  if (found != known->end()) return found->second;
  base::Result<Machine> machine = read_this_system(usable_cpus);
  if (machine) known->emplace(std::move(usable_cpus), *machine);
  return machine;
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
  // A quota a hair above a whole number (period rounding) is that number.
  return quota > 0 ? std::clamp(int(std::ceil(quota - 0.01)), 1, core_count()) : core_count();
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

}  // namespace weir::machine
