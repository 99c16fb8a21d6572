// SPDX-License-Identifier: Apache-2.0

#include "bench/bddt/render.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/bddt/sizes.hpp"
#include "base/joined.hpp"
#include "bench/bddt/thesis.hpp"

namespace weir::bench {
namespace {

constexpr double kMostOverBest = 1, kLeastOverGomp = 1.5, kMostOverThreads = 1.15;

std::string percent(double part, double whole) { return whole > 0 ? fmt::format("{:.1f}%", 100 * part / whole) : "-"; }

std::string balance_text(const std::vector<BddtWorker>& balance) {
  std::vector<std::string> shares;
  for (const BddtWorker& worker : balance) shares.push_back(fmt::format("{:.0f}", 100 * worker.application));
  return base::joined(shares, " ");
}

std::string line_of(const BddtRow& row) {
  const std::string head = fmt::format("  {:<13}{:>3}", row.runtime, row.workers);
  if (!row.has_value()) return head + "   failed\n";
  const auto [least, most] = std::minmax_element(row.seconds.begin(), row.seconds.end());
  const double whole = row.parts.sum();
  return head + fmt::format(" {:>9.2f} {:>8.2f}..{:<8.2f} {:>7} {:>8} {:>7} {:>8} {:>7}  {}\n", 1e3 * row.median(),
                            1e3 * *least, 1e3 * *most, row.speedup > 0 ? fmt::format("{:.2f}x", row.speedup) : "-",
                            percent(row.parts.application, whole), percent(row.parts.flush, whole),
                            percent(row.parts.analysis, whole), percent(row.parts.idle, whole),
                            balance_text(row.balance));
}

std::string size_text(const std::string& program, const std::string& name) {
  const apps::bddt::Size size = apps::bddt::size_of(program, name);
  if (program == "blackscholes") return fmt::format("{} options, {} a task", size.n, size.tile);
  return fmt::format("{0} x {0} in tiles of {1} x {1}{2}", size.n, size.tile,
                     size.iterations > 1 ? fmt::format(", {} steps", size.iterations) : "");
}

std::string table_of(const std::vector<BddtRow>& rows, const std::string& program, const std::string& size) {
  std::string text;
  std::size_t tasks = 0;
  for (const BddtRow& row : rows) {
    if (row.program != program || row.size != size) continue;
    text += line_of(row);
    tasks = std::max(tasks, row.tasks);
  }
  std::string head = fmt::format("{} ({}): {}, {} tasks\n", program, size, size_text(program, size), tasks);
  if (size == "thesis") head += fmt::format("  {}\n", thesis_text(program));
  head += fmt::format("  {:<13}{:>3} {:>9} {:>8}  {:<8} {:>7} {:>8} {:>7} {:>8} {:>7}  {}\n", "", "W", "ms", "min",
                      "max", "speedup", "app", "flush", "analysis", "idle", "in tasks, % of each worker");
  return head + text + "\n";
}

std::string verdict(double value, double target, bool at_most) {
  const bool reached = at_most ? value <= target : value >= target;
  return fmt::format("{:.2f} ({})", value, reached ? "reached" : "MISSED");
}

std::string targets_line(const std::vector<BddtRow>& rows, const std::string& program, const std::string& size,
                         int workers) {
  const BddtReached r = bddt_reached(rows, program, size, workers);
  const auto optional = [](const std::optional<double>& value, auto&& text) {
    return value ? text(*value) : std::string("-");
  };
  const std::string best =
      optional(r.over_best, [&](double v) { return verdict(v, kMostOverBest, true) + " of " + r.best; });
  const std::string gomp =
      size != "quarter" ? "" : optional(r.gomp_over_weir, [](double v) { return verdict(v, kLeastOverGomp, false); });
  const std::string threads = optional(r.over_threads, [](double v) { return verdict(v, kMostOverThreads, true); });
  const std::string flush = optional(r.flush_over_coherent, [](double v) { return fmt::format("{:.2f}", v); });
  return fmt::format("  {:<13}{:<8} {:<26} {:<15} {:<15} {}\n", program, size, best, threads, flush, gomp);
}

}  // namespace

std::string bddt_plan_text(const BddtPlan& plan) {
  std::vector<std::string> names;
  for (const BddtRuntime& runtime : plan.runtimes) names.push_back(runtime.name);
  std::string text =
      fmt::format("programs: {}; sizes: {}; runtimes: {}; workers: {}\n", base::joined(plan.programs, ", "),
                  base::joined(plan.sizes, ", "), base::joined(names, ", "), base::joined(plan.workers, ", "));
  for (const BddtRuntime& runtime : plan.left_out)
    text += fmt::format("left out: {}, which was not there when Weir was built\n", runtime.name);
  return text + fmt::format("{} rounds, in which the runtimes take turns, of {} runs each; every result is checked\n",
                            plan.amount.rounds, plan.amount.repeat);
}

std::string bddt_tables(const BddtPlan& plan, const std::vector<BddtRow>& rows) {
  std::string text;
  for (const std::string& size : plan.sizes)
    for (const std::string& program : plan.programs) text += table_of(rows, program, size);
  text +=
      "W: workers; the master of starpu, and that of island with one worker, is in addition to them. ms: median of "
      "all\n"
      "processes. app, flush (and making fresh), analysis (of the master; on islands all that it does for tasks) and\n"
      "idle are shares of the time of all processors,\n"
      "in a run of its own. The prediction for 43 islands of the thesis's chip is left out: weir sim has no islands.\n";
  for (const BddtRow& row : rows) {
    if (!row.error.empty())
      text += fmt::format("failed: {} ({}), {}, {} workers: {}\n", row.program, row.size, row.runtime, row.workers,
                          row.error);
  }
  return text;
}

BddtReached bddt_reached(const std::vector<BddtRow>& rows, const std::string& program, const std::string& size,
                         int workers) {
  BddtReached reached;
  const auto seconds = [&](const char* runtime) -> std::optional<double> {
    const BddtRow* const row = find_row(rows, program, size, runtime, workers);
    return row == nullptr ? std::nullopt : std::optional(row->median());
  };
  const auto weir = seconds("weir"), island = seconds("island"), flush = seconds("island-flush");
  double best = 0;
  for (const char* peer : {"libgomp", "libomp", "starpu"}) {
    const auto its = seconds(peer);
    if (!its || (best > 0 && *its >= best)) continue;
    best = *its;
    reached.best = peer;
  }
  if (weir && best > 0) reached.over_best = *weir / best;
  if (weir && seconds("libgomp")) reached.gomp_over_weir = *seconds("libgomp") / *weir;
  if (weir && island) reached.over_threads = *island / *weir;
  if (flush && island) reached.flush_over_coherent = *flush / *island;
  return reached;
}

std::string bddt_targets(const BddtPlan& plan, const std::vector<BddtRow>& rows) {
  const int workers = *std::max_element(plan.workers.begin(), plan.workers.end());
  std::string text =
      fmt::format("with {} workers:\n  {:<13}{:<8} {:<26} {:<15} {:<15} {}\n", workers, "", "",
                  "weir / best (at most 1)", "island / weir", "flush / island", "libgomp / weir (at least 1.5)");
  for (const std::string& size : plan.sizes)
    for (const std::string& program : plan.programs) text += targets_line(rows, program, size, workers);
  return text;
}

}  // namespace weir::bench
