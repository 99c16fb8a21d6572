// SPDX-License-Identifier: Apache-2.0

#include "facts.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace weir::tool::advise {

namespace {

using machine::Cost;
using machine::Machine;
using machine::MemoryNode;

// As seen from the domains that have it nearest: those that it is local to, else all.
Cost best_cost(const Machine& machine, const std::vector<Cost>& costs, const MemoryNode& node) {
  Cost best;
  for (std::size_t domain = 0; domain < machine.domains().size(); ++domain) {
    const Cost& cost = costs[domain];
    const bool local =
        std::find(node.local_domains.begin(), node.local_domains.end(), DomainId(domain)) != node.local_domains.end();
    if ((local || node.local_domains.empty()) && cost.read_gb_per_s > best.read_gb_per_s) best = cost;
  }
  return best;
}

void add_node(KindFacts& kind, const MemoryNode& node, const Cost& cost) {
  ++kind.nodes;
  kind.capacity.count += node.capacity.count;
  kind.side_cache.count += node.side_cache.count;
  kind.read_gb_per_s += cost.read_gb_per_s;
  kind.write_gb_per_s += cost.write_gb_per_s > 0 ? cost.write_gb_per_s : cost.read_gb_per_s;
  kind.latency_ns = kind.latency_ns > 0 ? std::min(kind.latency_ns, cost.latency_ns) : cost.latency_ns;
}

KindFacts& kind_at(std::vector<KindFacts>& kinds, machine::MemoryKind kind) {
  for (KindFacts& known : kinds)
    if (known.kind == kind) return known;
  kinds.push_back({.kind = kind, .nodes = 0, .capacity = {}, .side_cache = {}});
  return kinds.back();
}

// Bytes that some interval holds.
std::uint64_t covered(std::vector<std::pair<std::uint64_t, std::uint64_t>> intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::uint64_t sum = 0, until = 0;
  for (const auto& [begin, end] : intervals) {
    if (end <= until) continue;
    sum += end - std::max(begin, until);
    until = end;
  }
  return sum;
}

std::pair<std::uint64_t, std::uint64_t> interval_of(const Region& region) {
  const auto begin = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(region.base));
  return {begin, begin + (region.rows == 0 ? 0 : (region.rows - 1) * region.stride_bytes + region.row_bytes)};
}

std::uint64_t other_bytes(const sim::Program& program) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> intervals;
  for (const sim::Item& item : program.items) {
    if (item.is_block) continue;
    const Partition* const watched = item.watched != 0 ? program.watched_array(item.watched) : nullptr;
    if (watched == nullptr) intervals.push_back(interval_of(item.region));
  }
  for (const Partition& watched : program.watched) intervals.push_back(interval_of(watched.whole));
  return covered(std::move(intervals));
}

template <class Use>
std::vector<Use> values_of(std::map<std::string, Use>&& by_name) {
  std::vector<Use> result;
  for (auto& [name, use] : by_name) result.push_back(std::move(use));
  return result;
}

// The tiles of an array are "a[0,1]" and so on: they share their name.
std::string name_of_all(const std::string& name) { return name.substr(0, name.find('[')); }

double heat(const BlockUse& use) {
  return use.bytes == 0 ? 0 : static_cast<double>(use.used) / static_cast<double>(use.bytes);
}

void count_tasks(const sim::Program& program, ProgramFacts& facts, std::vector<std::uint64_t>& used) {
  std::map<std::string, TaskUse> names;
  for (const sim::ProgramTask& task : program.tasks) {
    TaskUse& use = names[program.names[task.name]];
    use.name = program.names[task.name];
    ++use.tasks;
    for (std::uint32_t i = 0; i < task.items.count; ++i) {
      const sim::Item& item = program.items[task.items.first + i];
      const std::uint64_t bytes = item.bytes(program.blocks);
      use.bytes += bytes;
      facts.footprint_bytes += bytes;
      if (item.is_block) used[item.block] += bytes;
    }
  }
  facts.task_names = values_of(std::move(names));
  std::stable_sort(facts.task_names.begin(), facts.task_names.end(),
                   [](const TaskUse& a, const TaskUse& b) { return a.bytes > b.bytes; });
}

}  // namespace

const KindFacts* MachineFacts::kind(machine::MemoryKind wanted) const {
  for (const KindFacts& known : kinds)
    if (known.kind == wanted) return &known;
  return nullptr;
}

MachineFacts facts_of(const Machine& machine, const std::string& name) {
  MachineFacts facts;
  facts.name = name;
  facts.is_this_system = machine.is_this_system();
  facts.domains = static_cast<int>(machine.domains().size());
  facts.cores = machine.core_count();
  facts.workers = machine.default_worker_count();
  facts.cpu_quota = machine.cpu_quota();
  facts.source = machine::source_of_costs(machine, DomainId{0});
  const auto costs = machine::costs_of(machine);
  for (const MemoryNodeId id : machine.tiers(DomainId{0})) {
    const MemoryNode& node = machine.memory_node(id);
    add_node(kind_at(facts.kinds, node.kind), node, best_cost(machine, costs[static_cast<std::size_t>(id)], node));
  }
  return facts;
}

std::uint64_t ProgramFacts::working_set() const { return std::max(block_bytes + other_bytes, peak_bytes); }

std::uint64_t ProgramFacts::bytes_per_task() const { return tasks == 0 ? 0 : footprint_bytes / tasks; }

ProgramFacts facts_of(const sim::Program& program, const std::string& name) {
  ProgramFacts facts;
  facts.name = name;
  facts.traced = true;
  facts.workers = program.real.workers;
  facts.seconds = static_cast<double>(program.real.makespan_ns) * 1e-9;
  facts.tasks = program.tasks.size();
  facts.other_bytes = other_bytes(program);
  std::vector<std::uint64_t> used(program.blocks.size());
  count_tasks(program, facts, used);
  std::map<std::string, BlockUse> blocks;
  for (std::size_t i = 0; i < program.blocks.size(); ++i) {
    const std::string array = name_of_all(program.blocks[i].name);
    BlockUse& use = blocks[array];
    use.name = array;
    ++use.blocks;
    use.bytes += program.blocks[i].bytes;
    use.used += used[i];
    facts.block_bytes += program.blocks[i].bytes;
  }
  facts.block_names = values_of(std::move(blocks));
  std::stable_sort(facts.block_names.begin(), facts.block_names.end(),
                   [](const BlockUse& a, const BlockUse& b) { return heat(a) > heat(b); });
  return facts;
}

}  // namespace weir::tool::advise
