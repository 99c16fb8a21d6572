// SPDX-License-Identifier: Apache-2.0

#include "runtime/tracing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "data/block.hpp"
#include "data/store.hpp"
#include "runtime/options.hpp"
#include "trace/details.hpp"
#include "trace/job_process.hpp"
#include "weir/detail/block.hpp"

namespace weir::runtime {

namespace {

using detail::TaskRef;

std::uint64_t bytes_of(const Region& region) noexcept { return std::uint64_t{region.row_bytes} * region.rows; }

std::uint64_t footprint_bytes(std::span<const Access> footprint) noexcept {
  std::uint64_t bytes = 0;
  for (const Access& item : footprint) {
    bytes += item.is_block() ? detail::block_of(item)->bytes : bytes_of(item.region);
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
  const std::optional<trace::JobProcess> process = trace::job_process();
  base::Result<std::unique_ptr<trace::Recorder>> recorder =
      trace::Recorder::open(process ? trace::file_of_rank(path, process->rank) : path);
  if (!recorder) throw Error(recorder.status().message);
  if (!process) return std::move(*recorder);
  if (const base::Status status = (*recorder)->note(process->settings()); !status) throw Error(status.message);
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
  for (const OptionInfo& info : option_table())
    if (info.name != "trace") summary.settings.emplace_back(info.name, option_text(state.scheduler->options(), info));
  data::Store* const store = state.blocks->find_store();
  if (store == nullptr) return summary;
  const data::StoreStatistics blocks = store->statistics();
  summary.settings.emplace_back("emulated_bytes_per_second", fmt::format("{:.0f}", blocks.emulated_bytes_per_second));
  const data::engine::Counters& c = blocks.counters;
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

void record_region(trace::Track& track, trace::Details& details, const Access& item) noexcept {
  const Region& region = item.region;
  trace::RegionShape shape{region.rows > 1 ? region.stride_bytes : 0, 0};
  if (item.partition != nullptr) {
    const Partition& partition = *item.partition;
    const Region& whole = partition.whole;
    shape.watched = partition.id;
    if (track.needs_watched(partition.id)) {
      details.add({reinterpret_cast<std::uintptr_t>(whole.base), whole.row_bytes, partition.id,
                   trace::Event::pack(trace::Kind::watched, whole.rows)});
      details.add({whole.stride_bytes, partition.block_row_bytes, partition.id,
                   trace::Event::pack(trace::Kind::watched_parts, partition.block_rows)});
    }
  }
  details.region({static_cast<std::uint8_t>(item.mode), item.ordered}, reinterpret_cast<std::uintptr_t>(region.base),
                 region.row_bytes, region.rows, shape);
}

void submit_traced(SpawnScope& scope, sched::Task& task, std::span<const Access> footprint,
                   std::span<const TaskRef> after) {
  trace::Track& track = *scope.owner()->track();
  const std::uint64_t start = trace::Track::now();
  const std::uint64_t id = sched::trace_id(task.ref());
  scope.submit(task, footprint, after);  // from here on the task may be another one
  const std::uint64_t parent = sched::trace_id_of(scope.parent());
  if (footprint.empty() && after.empty() && track.last_parent_is(parent)) return track.spawn(start, id, 0, 0);
  trace::Details details(track, trace::Track::spawned(start, id, footprint_bytes(footprint), footprint.size()), parent);
  for (const Access& item : footprint) {
    if (item.is_block()) {
      details.block({static_cast<std::uint8_t>(item.mode), false}, data::block_of(*detail::block_of(item)).trace_id);
    } else {
      record_region(track, details, item);
    }
  }
  for (const TaskRef before : after) details.after(sched::trace_id(before));
  for (const TaskRef before : scope.predecessors()) details.edge(sched::trace_id(before));
}

}  // namespace weir::runtime
