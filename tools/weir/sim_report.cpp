// SPDX-License-Identifier: Apache-2.0

#include "sim_report.hpp"

#include <algorithm>

#include "json.hpp"
#include "report/units.hpp"
#include "runtime/options.hpp"

namespace weir::tool {

namespace {

using report::measured_size;

double seconds(std::uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

std::string tier_name(const std::vector<std::string>& tiers, std::size_t tier) {
  return tier < tiers.size() ? tiers[tier] : "program";
}

std::uint64_t sum_of(const std::vector<std::vector<std::uint64_t>>& moved) {
  std::uint64_t sum = 0;
  for (const auto& from : moved)
    for (const std::uint64_t bytes : from) sum += bytes;
  return sum;
}

// How far off, in percent of what really was; 0 where there was nothing.
double off_percent(double predicted, double real) { return real == 0 ? 0 : 100 * (predicted - real) / real; }

std::string option_of(const SimReport& report, std::string_view name) {
  for (const runtime::OptionInfo& info : runtime::option_table())
    if (info.name == name) return runtime::option_text(report.options, info);
  return "";
}

void print_target(const SimReport& report, Global& global) {
  const sim::RealRun& real = report.program.real;
  global.print("program  {}: {}, traced with {} on {}\n", report.trace,
               report::counted(report.program.tasks.size(), "task"),
               report::counted(static_cast<std::uint64_t>(real.workers), "worker"), real.machine);
  global.print("machine  {}, {}\n", report.machine.empty() ? "this one" : report.machine,
               report::counted(static_cast<std::uint64_t>(report.options.workers), "worker"));
  std::string tiers;
  for (const auto& tier : report.target.hierarchy.tiers)
    tiers += fmt::format("{}{} {}", tiers.empty() ? "" : ", ", tier.name, measured_size(tier.budget));
  global.print("tiers    {}; strategy {}, eviction {}\n", tiers, option_of(report, "strategy"),
               option_of(report, "evict"));
  for (const std::string& note : report.target.notes) global.print("note     {}\n", note);
}

void print_time(const SimReport& report, Global& global) {
  const sim::Prediction& p = report.prediction;
  const sim::RealRun& real = report.program.real;
  global.print("\npredicted {:>12.6f} s\n", seconds(p.makespan_ns));
  global.print("traced    {:>12.6f} s", seconds(real.makespan_ns));
  const double off = off_percent(seconds(p.makespan_ns), seconds(real.makespan_ns));
  global.print("{}\n", report.as_traced ? fmt::format("; the prediction is off by {:+.1f} %", off)
                                        : fmt::format("; the prediction is {:.2f} times that",
                                                      seconds(p.makespan_ns) / seconds(real.makespan_ns)));
  if (report.bound)
    global.print("bound     {:>12.6f} s, in the order of spawning, by a mover that knows it in advance\n",
                 report.bound->seconds);
  global.print("waiting for data {:.6f} s of workers that had nothing else\n", seconds(p.data_wait_ns));
}

void print_moves(const SimReport& report, Global& global) {
  const sim::Prediction& p = report.prediction;
  const std::uint64_t real = sum_of(report.program.real.moved);
  global.print("\nmoved    {} predicted, {} traced{}\n", measured_size(p.bytes_moved()), measured_size(real),
               report.as_traced && real != 0
                   ? fmt::format("; off by {:+.1f} %",
                                 off_percent(static_cast<double>(p.bytes_moved()), static_cast<double>(real)))
                   : "");
  for (std::size_t from = 0; from < p.moved.size(); ++from)
    for (std::size_t to = 0; to < p.moved.size(); ++to)
      if (p.moved[from][to] != 0)
        global.print("  {} -> {}  {}\n", tier_name(p.tiers, from), tier_name(p.tiers, to),
                     measured_size(p.moved[from][to]));
  if (report.bound)
    global.print("  at least {} fetched and {} written back, in the order of spawning\n",
                 measured_size(report.bound->movement.fetched), measured_size(report.bound->movement.written_back));
}

void print_workers(const SimReport& report, Global& global) {
  const sim::Prediction& p = report.prediction;
  global.print("\n{:<8} {:>9} {:>9} {:>9} {:>10}\n", "worker", "running", "moving", "idle", "tasks");
  const double all = static_cast<double>(std::max<std::uint64_t>(p.makespan_ns, 1));
  for (std::size_t i = 0; i < p.workers.size(); ++i) {
    const sim::WorkerTime& time = p.workers[i];
    global.print("{:<8} {:>8.1f}% {:>8.1f}% {:>8.1f}% {:>10}\n", i, 100 * static_cast<double>(time.running) / all,
                 100 * static_cast<double>(time.moving) / all, 100 * static_cast<double>(time.idle) / all, time.tasks);
  }
}

Json moves_of(const std::vector<std::string>& tiers, const std::vector<std::vector<std::uint64_t>>& moved) {
  Json moves = Json::array();
  for (std::size_t from = 0; from < moved.size(); ++from)
    for (std::size_t to = 0; to < moved.size(); ++to)
      if (moved[from][to] != 0)
        moves.push_back({{"from", tier_name(tiers, from)}, {"to", tier_name(tiers, to)}, {"bytes", moved[from][to]}});
  return moves;
}

Json object_of(const SimReport& report) {
  const sim::Prediction& p = report.prediction;
  const sim::RealRun& real = report.program.real;
  Json workers = Json::array();
  for (const sim::WorkerTime& time : p.workers)
    workers.push_back({{"running_s", seconds(time.running)},
                       {"moving_s", seconds(time.moving)},
                       {"idle_s", seconds(time.idle)},
                       {"tasks", time.tasks}});
  const auto predicted = static_cast<double>(p.bytes_moved());
  const auto moved = static_cast<double>(sum_of(real.moved));
  return {{"trace", report.trace},
          {"machine", report.machine},
          {"workers", report.options.workers},
          {"strategy", option_of(report, "strategy")},
          {"evict", option_of(report, "evict")},
          {"tasks", report.program.tasks.size()},
          {"predicted_s", seconds(p.makespan_ns)},
          {"traced_s", seconds(real.makespan_ns)},
          {"as_traced", report.as_traced},
          {"makespan_off_percent",
           report.as_traced ? Json(off_percent(seconds(p.makespan_ns), seconds(real.makespan_ns))) : Json()},
          {"bytes_moved", p.bytes_moved()},
          {"traced_bytes_moved", sum_of(real.moved)},
          {"bytes_off_percent", report.as_traced ? Json(off_percent(predicted, moved)) : Json()},
          {"moves", moves_of(p.tiers, p.moved)},
          {"data_wait_s", seconds(p.data_wait_ns)},
          {"steals", p.steals},
          {"per_worker", workers},
          {"bound_s", report.bound ? Json(report.bound->seconds) : Json()},
          {"bound_bytes",
           report.bound ? Json(report.bound->movement.fetched + report.bound->movement.written_back) : Json()}};
}

}  // namespace

void show(const SimReport& report, Global& global) {
  print_target(report, global);
  print_time(report, global);
  print_moves(report, global);
  print_workers(report, global);
  global.print(
      "\nA task's own time is the traced one; what it takes to read and write its footprint once, by the cost model of "
      "the traced machine, is made longer or shorter as memory is slower or faster here, the rest is not. running: own "
      "code of tasks and of the program, spawning, and what comes between two tasks.\n");
  for (const std::string& warning : report.prediction.warnings) global.print("warning: {}\n", warning);
  global.add(object_of(report));
}

}  // namespace weir::tool
