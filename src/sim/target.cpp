// SPDX-License-Identifier: Apache-2.0

#include "sim/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "memory/tier_plan.hpp"
#include "memory/tier_spec.hpp"

namespace weir::sim {

namespace {

using base::Code;
using base::Status;
using data::engine::NodeId;
using data::engine::TierIndex;
using machine::Machine;
using machine::MemoryKind;
using memory::TierKind;

constexpr double kFileLatencyNs = 100'000;
constexpr std::uint64_t kAnyFile = std::uint64_t{1} << 40;  // of a file whose size is not said

bool has_bandwidths(const Machine& machine) {
  const auto& domains = machine.domains();
  return std::all_of(domains.begin(), domains.end(), [&](const machine::Domain& domain) {
    return machine::source_of_costs(machine, domain.id) != machine::CostSource::typical;
  });
}

// All memory of the machine is free: what else runs on it is not known.
memory::MemoryState all_free(const Machine& machine) {
  const auto capacity = [machine](int os_node) {
    for (const machine::MemoryNode& node : machine.memory_nodes())
      if (node.os_index == os_node) return node.capacity;
    return Bytes{};
  };
  const auto unlimited = [] { return platform::MemoryLimit{std::numeric_limits<std::uint64_t>::max() / 4, "nothing"}; };
  return {.mappable = unlimited, .physical = unlimited, .free_now = capacity, .free_or_cached = capacity};
}

// Ordinary memory of the domain, else the nearest there is.
MemoryNodeId program_memory_of(const Machine& machine, const machine::Domain& domain) {
  for (const MemoryNodeId id : domain.local_nodes)
    if (machine.memory_node(id).kind == MemoryKind::ddr) return id;
  for (const MemoryNodeId id : machine.tiers(domain.id))
    if (machine.memory_node(id).kind == MemoryKind::ddr) return id;
  return domain.local_nodes.empty() ? machine.tiers(domain.id).front() : domain.local_nodes.front();
}

// As the scheduler deals out its workers: to the domains in turn, core by core, those of a domain together.
std::vector<DomainId> place_workers(const Machine& machine, int workers) {
  std::vector<DomainId> cores;
  std::size_t most = 0;
  for (const machine::Domain& domain : machine.domains()) most = std::max(most, domain.cores.size());
  for (std::size_t core = 0; core < most; ++core)
    for (const machine::Domain& domain : machine.domains())
      if (core < domain.cores.size()) cores.push_back(domain.id);
  std::vector<DomainId> places;
  places.reserve(static_cast<std::size_t>(workers));
  for (int i = 0; i < workers; ++i) places.push_back(cores[static_cast<std::size_t>(i) % cores.size()]);
  std::stable_sort(places.begin(), places.end());
  return places;
}

void add_node(Target& target, std::string name, std::uint64_t budget, std::size_t memory) {
  data::engine::Hierarchy& to = target.hierarchy;
  const auto tier = static_cast<TierIndex>(to.tiers.size() - 1);
  to.tiers.back().nodes.push_back(static_cast<NodeId>(to.nodes.size()));
  to.tiers.back().budget += budget;
  to.nodes.push_back({std::move(name), tier});
  target.budgets.push_back(budget);
  target.memory.push_back(memory);
}

void add_tier(Target& target, const memory::TierRequest& request) {
  const TierKind kind = request.kind;
  target.hierarchy.tiers.push_back({to_string(kind),
                                    kind == TierKind::ddr || kind == TierKind::memory,
                                    kind == TierKind::hbm,
                                    kind != TierKind::file,
                                    request.copy_fraction > 0,
                                    0,
                                    {}});
}

// More than Weir's books of a node have places for: no machine has it, but a description may.
Status check_sizes(const Target& target) {
  for (std::size_t node = 0; node < target.budgets.size(); ++node) {
    if (target.budgets[node] <= Target::kMostOfNode) continue;
    return {Code::no_space,
            fmt::format("{}: {:.0f} TiB for blocks: Weir manages less than 16 TiB of a node; is its size in the "
                        "description right? --tiers gives it less",
                        target.hierarchy.nodes[node].name, static_cast<double>(target.budgets[node]) / 0x1p40)};
  }
  return Status::success();
}

// Files come last: nodes of memory are numbered as arenas are.
void add_tiers(Target& target, const Machine& machine, const memory::TierPlan& plan) {
  for (const memory::PlannedTier& planned : plan.tiers) {
    add_tier(target, planned.request);
    for (const auto& [node, budget] : planned.nodes)
      add_node(target, machine.memory_node(node).name, budget.count, static_cast<std::size_t>(node));
    if (planned.request.kind == TierKind::file)
      add_node(target, "file", planned.request.size.value_or(Bytes{kAnyFile}).count, Target::kFile);
  }
  for (const machine::Domain& domain : machine.domains()) {
    auto& seen = target.hierarchy.seen.emplace_back();
    for (std::size_t t = 0; t < plan.tiers.size(); ++t)
      for (const auto& [node, budget] : plan.tiers[t].nodes)
        seen.push_back(memory::seen_from(machine, domain.id, static_cast<int>(t), plan.tiers[t].request.kind, node));
  }
}

// Sizes that the spec does not say are those that the traced run found free.
void take_real_budgets(memory::TierPlan& plan, const RealRun& real) {
  if (plan.tiers.size() != real.tiers.size()) return;
  for (std::size_t t = 0; t < plan.tiers.size(); ++t) {
    memory::PlannedTier& planned = plan.tiers[t];
    if (planned.request.size || planned.nodes.empty() || real.tiers[t] != to_string(planned.request.kind)) continue;
    for (memory::PlannedNode& node : planned.nodes)
      node.budget.count = real.budgets[t] / planned.nodes.size() / 4096 * 4096;
  }
}

// Bytes a second that went between memory and the file, while anything did.
double real_file_speed(const RealRun& real) {
  std::uint64_t bytes = 0, ns = 0;
  for (std::size_t from = 0; from < real.moved.size(); ++from) {
    for (std::size_t to = 0; to < real.moved.size(); ++to) {
      const auto is_file = [&](std::size_t tier) { return tier < real.tiers.size() && real.tiers[tier] == "file"; };
      if (!is_file(from) && !is_file(to)) continue;
      bytes += real.moved[from][to];
      ns += real.moving_ns[from][to];
    }
  }
  return ns == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(ns) * 1e9;
}

// As long as the traced run waited for pages: for those of that tier when it has it, else for all of its. Which of a
// tier's nodes grew is not known.
void set_page_times(Target& target, const TargetRequest& request, const RealRun& real) {
  std::uint64_t bytes = 0, ns = 0;
  for (const PageTimes& each : real.page_times) {
    bytes += each.bytes();
    ns += each.ns();
  }
  const PageTimes any(bytes == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(bytes));
  for (std::size_t node = 0; node < target.memory.size(); ++node) {
    const std::size_t tier = data::engine::index_of(target.hierarchy.nodes[node].tier);
    const bool known = request.own_tiers && tier < real.page_times.size() && real.page_times[tier].bytes() != 0;
    const bool alone = target.hierarchy.tiers[tier].nodes.size() == 1;
    if (target.memory[node] == Target::kFile)
      target.page_times.emplace_back();
    else if (known)
      target.page_times.push_back(alone ? real.page_times[tier] : PageTimes(real.page_times[tier].ns_per_byte()));
    else
      target.page_times.push_back(any);
  }
}

Status set_speeds(Target& target, const memory::TierPlan& plan, const TargetRequest& request, const RealRun& real) {
  for (const memory::PlannedTier& planned : plan.tiers) {
    if (planned.request.copy_fraction > 0) {
      const std::string* const measured = real.setting("emulated_bytes_per_second");
      const double known = request.own_tiers && measured != nullptr ? std::stod(*measured) : 0;
      const machine::Cost& memory =
          target.costs.cost(static_cast<std::size_t>(planned.nodes.front().node), DomainId{0});
      target.emulated_bytes_per_second =
          known > 0 ? known
                    : planned.request.copy_fraction * 1e9 / (1 / memory.read_gb_per_s + 1 / memory.write_gb_per_s);
    }
    if (planned.request.kind == TierKind::file) {
      target.file_bytes_per_second = request.file_gb_per_s > 0 ? request.file_gb_per_s * 1e9 : real_file_speed(real);
      if (target.file_bytes_per_second <= 0) {
        return {Code::bad_option,
                "how fast the file tier is is not known: the traced run moved nothing from or to a file; give "
                "--file-gb-per-s"};
      }
    }
  }
  return Status::success();
}

}  // namespace

base::Result<machine::CostModel> costs_for(const Machine& machine, const std::string& name, bool typical) {
  if (!typical && !has_bandwidths(machine)) {
    const bool here = machine.is_this_system();
    return Status{
        Code::bad_option,
        fmt::format("{}: the bandwidth of its memory is not known: {}, or give --typical-costs for what memory "
                    "of its kinds usually has",
                    here ? "this machine" : name,
                    here ? "measure it with weir topo --measure"
                         : "describe it with an XML file of lstopo that has HMAT bandwidths")};
  }
  return machine::CostModel(machine::costs_of(machine));
}

base::Result<Target> make_target(const Machine& machine, const TargetRequest& request, const RealRun& real) {
  auto costs = costs_for(machine, request.options.machine, request.typical_costs);
  if (!costs) return costs.status();
  const auto spec = memory::parse_tiers(request.options.tiers);
  if (!spec) return spec.status();
  auto plan = memory::plan_tiers(machine, *spec, all_free(machine));
  if (!plan) return plan.status();
  if (request.own_machine && request.own_tiers) take_real_budgets(*plan, real);
  Target target{{}, {}, {}, std::move(*costs), {}, {}, 0, 0, plan->warnings, {}};
  add_tiers(target, machine, *plan);
  if (Status status = check_sizes(target); !status) return status;
  for (const machine::Domain& domain : machine.domains())
    target.program_memory.push_back(program_memory_of(machine, domain));
  target.worker_domains = place_workers(machine, request.options.workers);
  // Under a quota the traced machine is the one that has as many cores, where the run did not ask for more of them.
  const bool alike = real.cores == static_cast<unsigned>(machine.core_count()) &&
                     (machine.cpu_quota() <= 0 || real.workers <= machine.default_worker_count());
  const bool known_here = !request.own_machine || real.cores == 0 || alike;
  target.cores = known_here ? static_cast<unsigned>(machine.default_worker_count()) : real.cores;
  set_page_times(target, request, real);
  if (Status status = set_speeds(target, *plan, request, real); !status) return status;
  return target;
}

machine::CostModel costs_of_tiers(const Target& target) {
  const bool emulates = target.emulated_bytes_per_second > 0;
  std::vector<std::vector<machine::Cost>> costs;
  for (std::size_t node = 0; node < target.memory.size(); ++node) {
    auto& seen = costs.emplace_back();
    for (std::size_t domain = 0; domain < target.costs.domains(); ++domain) {
      if (target.memory[node] == Target::kFile) {
        const double gb_per_s = target.file_bytes_per_second * 1e-9;
        seen.push_back({gb_per_s, gb_per_s, kFileLatencyNs});
        continue;
      }
      seen.push_back(target.costs.cost(target.memory[node], DomainId(domain)));
      const bool slowed = target.hierarchy.tier_at(static_cast<data::engine::NodeId>(node)).slowed;
      if (emulates && slowed)
        seen.back().read_gb_per_s = seen.back().write_gb_per_s = target.emulated_bytes_per_second * 1e-9;
    }
  }
  return machine::CostModel(std::move(costs));
}

}  // namespace weir::sim
