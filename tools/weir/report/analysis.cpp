// SPDX-License-Identifier: Apache-2.0

#include "analysis.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "advice.hpp"
#include "bins.hpp"

namespace weir::tool::report {

namespace {

constexpr std::size_t kRateParts = 10;

std::vector<NameCost> costliest(std::map<std::string, NameCost>&& by_name, double NameCost::*by) {
  std::vector<NameCost> result;
  for (auto& [name, cost] : by_name) {
    cost.name = name;
    result.push_back(std::move(cost));
  }
  std::stable_sort(result.begin(), result.end(), [by](const NameCost& a, const NameCost& b) { return a.*by > b.*by; });
  return result;
}

std::vector<NameCost> name_costs(const Trace& trace, const CriticalPath& path) {
  std::map<std::string, NameCost> by_name;
  const std::vector<Ns> own = own_times(trace);
  for (std::size_t i = 1; i < trace.tasks.size(); ++i) {
    const Task& task = trace.tasks[i];
    if (!task.ran) continue;
    NameCost& cost = by_name[trace.names[static_cast<std::size_t>(task.name)]];
    ++cost.tasks;
    cost.ns += static_cast<double>(own[i]);
    cost.bytes += task.bytes;
  }
  for (const PathStep& step : path.steps) {
    if (step.task == 0 || step.elsewhere) continue;
    by_name[trace.names[static_cast<std::size_t>(trace.tasks[step.task].name)]].path_ns += static_cast<double>(step.ns);
  }
  return costliest(std::move(by_name), &NameCost::ns);
}

// A task that waits, or lets another one run, has several steps.
std::vector<NameCost> path_names(const Trace& trace, const CriticalPath& path) {
  std::map<std::string, NameCost> by_name;
  std::set<std::pair<std::uint32_t, bool>> seen;
  for (const PathStep& step : path.steps) {
    NameCost& cost = by_name[step.elsewhere   ? kElsewhere
                             : step.task == 0 ? kOutsideOfTasks
                                              : trace.names[static_cast<std::size_t>(trace.tasks[step.task].name)]];
    cost.tasks += step.task != 0 && seen.emplace(step.task, step.elsewhere).second ? 1 : 0;
    cost.path_ns += static_cast<double>(step.ns);
  }
  return costliest(std::move(by_name), &NameCost::path_ns);
}

const Tier* find_tier(const Trace& trace, const std::string& name) {
  const auto found =
      std::find_if(trace.tiers.begin(), trace.tiers.end(), [&](const Tier& t) { return t.name == name; });
  return found == trace.tiers.end() ? nullptr : &*found;
}

double known_bandwidth(const Trace& trace, const LinkUse& link) {
  const Tier *from = find_tier(trace, link.from), *to = find_tier(trace, link.to);
  if (from == nullptr || to == nullptr || from->read_gb_per_s <= 0 || to->write_gb_per_s <= 0) return 0;
  return std::min(from->read_gb_per_s, to->write_gb_per_s);
}

double best_rate(const Trace& trace, const std::vector<const Move*>& moves) {
  Bins moved(trace, kRateParts);
  for (const Move* move : moves) moved.add(*move);
  return moved.most() / moved.ns();
}

std::vector<LinkUse> link_uses(const Trace& trace) {
  std::map<std::pair<std::string, std::string>, std::vector<const Move*>> by_link;
  for (const Move& move : trace.moves) by_link[{move.from, move.to}].push_back(&move);
  std::vector<LinkUse> result;
  for (auto& [ends, moves] : by_link) {
    LinkUse link{ends.first, ends.second, 0, moves.size(), 0, best_rate(trace, moves), 0};
    std::sort(moves.begin(), moves.end(), [](const Move* a, const Move* b) { return a->start < b->start; });
    Ns until = trace.start;
    for (const Move* move : moves) {
      link.bytes += move->bytes;
      link.busy_ns += static_cast<double>(std::max<Ns>(move->end - std::max(move->start, until), 0));
      until = std::max(until, move->end);
    }
    link.known_gb_per_s = known_bandwidth(trace, link);
    result.push_back(std::move(link));
  }
  return result;
}

// Tiles of an array are called "a[2,0]": counted as one.
std::string name_of_all(const std::string& name) { return name.substr(0, name.find('[')); }

std::vector<BlockCost> block_costs(const Trace& trace) {
  std::map<std::string, BlockCost> by_name;
  std::set<std::uint64_t> seen;
  for (const Move& move : trace.moves) {
    if (move.block >= trace.blocks.size()) continue;
    const Block& block = trace.blocks[move.block];
    BlockCost& cost = by_name[name_of_all(block.name)];
    if (seen.insert(move.block).second) {
      ++cost.blocks;
      cost.bytes += block.bytes;
    }
    cost.moved += move.bytes;
    ++cost.moves;
  }
  std::vector<BlockCost> result;
  for (auto& [name, cost] : by_name) {
    cost.name = name;
    result.push_back(std::move(cost));
  }
  std::stable_sort(result.begin(), result.end(), [](const auto& x, const auto& y) { return x.moved > y.moved; });
  return result;
}

std::uint64_t tasks_that_ran(const Trace& trace) {
  return static_cast<std::uint64_t>(
      std::count_if(trace.tasks.begin(), trace.tasks.end(), [](const Task& task) { return task.ran; }));
}

double guests_time(const std::vector<TimeParts>& workers) {
  double ns = 0;
  for (const TimeParts& parts : workers) ns += parts.is_guest ? parts.sum() : 0;
  return ns;
}

// Workers, those that died for as long as they lived, and guests for the part of the run in which they are there: they
// run tasks while they wait. Spares run tasks in the place of workers that do not, so that no more of them run at a
// time.
double threads_for_work(const Trace& trace, const Report& report) {
  double workers = std::max(trace.workers, 1);
  for (const TimeParts& parts : report.workers)
    if (parts.left_early && report.wall_ns > 0) workers -= 1 - parts.sum() / report.wall_ns;
  return report.wall_ns > 0 ? workers + report.guests_ns / report.wall_ns : workers;
}

// As a link has carried its bytes in this run, it can do so: what was measured of it may be less.
double bytes_bound(const std::vector<LinkUse>& links) {
  double bound = 0;
  for (const LinkUse& link : links) {
    const double rate = std::max(link.most_gb_per_s(), link.gb_per_s());
    if (rate > 0) bound = std::max(bound, static_cast<double>(link.bytes) / rate);
  }
  return bound;
}

}  // namespace

TimeParts total(const std::vector<TimeParts>& workers) {
  TimeParts sum;
  for (const TimeParts& w : workers) {
    sum.running += w.running;
    sum.program += w.program;
    sum.analysing += w.analysing;
    sum.scheduling += w.scheduling;
    sum.moving += w.moving;
    sum.waiting_for_data += w.waiting_for_data;
    sum.waiting_for_room += w.waiting_for_room;
    sum.waiting_for_others += w.waiting_for_others;
    sum.waiting_for_ranks += w.waiting_for_ranks;
    sum.waiting_for_work += w.waiting_for_work;
    sum.idle += w.idle;
    sum.slept += w.slept;
    sum.tasks += w.tasks;
  }
  return sum;
}

double Report::bound_ns() const { return std::max({static_cast<double>(path.length), work_bound_ns, bytes_bound_ns}); }

Report analyse(const Trace& trace) {
  Report report;
  report.wall_ns = static_cast<double>(trace.end - trace.start);
  report.workers = time_parts(trace);
  report.sum = total(report.workers);
  report.tasks = tasks_that_ran(trace);
  report.guests_ns = guests_time(report.workers);
  report.path = critical_path(trace);
  report.path_names = path_names(trace, report.path);
  report.work_ns = report.sum.running + report.sum.program + report.sum.analysing;
  report.work_bound_ns = report.work_ns / threads_for_work(trace, report);
  report.links = link_uses(trace);
  report.bytes_bound_ns = bytes_bound(report.links);
  report.names = name_costs(trace, report.path);
  report.blocks = block_costs(trace);
  if (trace.processes.empty()) report.advice = advise(trace, report);
  return report;
}

}  // namespace weir::tool::report
