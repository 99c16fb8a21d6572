// SPDX-License-Identifier: Apache-2.0

#include "runtime/tracing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "data/store.hpp"
#include "runtime/options.hpp"
#include "weir/detail/block.hpp"

namespace weir::runtime {

namespace {

std::uint64_t footprint_bytes(std::span<const Access> footprint) noexcept {
  std::uint64_t bytes = 0;
  for (const Access& item : footprint) {
    const Region& region = item.region;
    bytes += item.is_block() ? detail::block_of(item)->bytes : std::uint64_t{region.row_bytes} * region.rows;
  }
  return bytes;
}

// What a node gives the domain that is nearest to it, where that was measured.
machine::Cost best_of(const machine::MemoryNode& node) {
  machine::Cost best;
  for (const machine::Cost& cost : node.measured) {
    best.read_gb_per_s = std::max(best.read_gb_per_s, cost.read_gb_per_s);
    best.write_gb_per_s = std::max(best.write_gb_per_s, cost.write_gb_per_s);
  }
  return best;
}

trace::TierInfo describe(const memory::Tier& tier, const machine::Machine& machine) {
  trace::TierInfo info{tier.name, tier.budget.count, 0, 0};
  for (const MemoryNodeId id : tier.nodes) {
    const machine::Cost best = best_of(machine.memory_node(id));
    info.read_gb_per_s += best.read_gb_per_s;
    info.write_gb_per_s += best.write_gb_per_s;
  }
  if (tier.copy_fraction > 0) info.read_gb_per_s = info.write_gb_per_s = 0;  // slowed down on purpose
  return info;
}

}  // namespace

std::unique_ptr<trace::Recorder> open_trace(const std::string& path) {
  base::Result<std::unique_ptr<trace::Recorder>> recorder = trace::Recorder::open(path);
  if (!recorder) throw Error(recorder.status().message);
  return std::move(*recorder);
}

trace::Summary summarise(const Runtime& runtime, const State& state) {
  trace::Summary summary;
  summary.start = state.started;
  summary.end = state.ended;
  const machine::Machine& machine = state.scheduler->machine();
  summary.workers = runtime.worker_count();
  summary.machine = fmt::format("{} core{} in {} domain{}", machine.core_count(), machine.core_count() == 1 ? "" : "s",
                                machine.domains().size(), machine.domains().size() == 1 ? "" : "s");
  for (const OptionInfo& info : option_table())
    if (info.name == "policy") summary.policy = option_text(state.scheduler->options(), info);
  for (const machine::MemoryNode& node : machine.memory_nodes()) summary.memory_gb_per_s += best_of(node).read_gb_per_s;
  const Statistics s = runtime.statistics();
  summary.counters = {{"tasks_run", s.tasks_run},       {"tasks_cancelled", s.tasks_cancelled}, {"steals", s.steals},
                      {"tasks_stolen", s.tasks_stolen}, {"far_steals", s.far_steals},           {"parks", s.parks}};
  data::Store* const store = state.blocks->find_store();
  if (store == nullptr) return summary;
  const data::engine::Counters c = store->statistics().counters;
  summary.counters.insert(summary.counters.end(), {{"bytes_fetched", c.bytes_fetched},
                                                   {"bytes_written_back", c.bytes_written_back},
                                                   {"hits", c.hits},
                                                   {"misses", c.misses},
                                                   {"prefetches", c.prefetches},
                                                   {"evictions", c.evictions},
                                                   {"in_place_runs", c.in_place_runs}});
  for (const memory::Tier& tier : store->tiers().tiers()) summary.tiers.push_back(describe(tier, machine));
  return summary;
}

void close_trace(trace::Recorder& recorder, const trace::Summary& summary) noexcept {
  try {
    const base::Status status = recorder.close(summary);
    if (!status) std::fprintf(stderr, "weir: trace %s\n", status.message.c_str());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "weir: the trace is not written: out of memory; trace a shorter run\n");
  }
}

void submit_traced(SpawnScope& scope, sched::Task& task, std::span<const Access> footprint,
                   std::span<const detail::TaskRef> after) {
  trace::Track& track = *scope.owner()->track();
  const std::uint64_t start = trace::Track::now();
  const std::uint64_t id = sched::trace_id(task.ref());
  scope.submit(task, footprint, after);  // from here on the task may be another one
  track.spawn(start, id, footprint_bytes(footprint), footprint.size());
  for (const detail::TaskRef before : scope.predecessors()) track.edge(sched::trace_id(before), id);
}

}  // namespace weir::runtime
