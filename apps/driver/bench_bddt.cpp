// SPDX-License-Identifier: Apache-2.0

// weir bench bddt: the five programs of BDDT-SCC by Weir and by other runtimes, side by side.
#include <sched.h>

#include <algorithm>

#include "bench/bddt/measure.hpp"
#include "bench/bddt/plot.hpp"
#include "bench/bddt/render.hpp"
#include "bench/bddt/thesis.hpp"
#include "bench/report/render.hpp"
#include "demos/bench_bddt_options.hpp"
#include "json.hpp"
#include "plan_progress.hpp"
#include "plotting.hpp"

namespace weir::tool {
namespace {

using base::Result;

int usable_processors() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
}

Result<bench::BddtPlan> plan_of(const BddtSettings& settings) {
  bench::BddtRequest request{settings.programs, settings.sizes,      settings.runtimes,
                             settings.workers,  usable_processors(), {}};
  if (request.sizes.empty()) request.sizes = settings.quick ? "small" : settings.full ? "thesis,quarter" : "thesis";
  if (settings.quick) request.amount.rounds = 1;
  if (settings.rounds > 0) request.amount.rounds = settings.rounds;
  if (settings.repeat > 0) request.amount.repeat = settings.repeat;
  request.amount.timeout_s = settings.timeout_s;
  return bench::bddt_plan(request, bench::find_bddt_runtimes());
}

Json object_of(const bench::BddtRow& row) {
  Json object = {{"source", "measured"},   {"program", row.program}, {"size", row.size},
                 {"runtime", row.runtime}, {"workers", row.workers}, {"tasks", row.tasks}};
  if (!row.error.empty()) object["error"] = row.error;
  if (!row.has_value()) return object;
  const auto [least, most] = std::minmax_element(row.seconds.begin(), row.seconds.end());
  object["seconds"] = row.median();
  object["min"] = *least;
  object["max"] = *most;
  object["speedup"] = row.speedup > 0 ? Json(row.speedup) : Json();
  object["application_s"] = row.parts.application;
  object["flush_s"] = row.parts.flush;
  object["analysis_s"] = row.parts.analysis;
  object["idle_s"] = row.parts.idle;
  object["balance"] = Json::array();
  for (const bench::BddtWorker& worker : row.balance)
    object["balance"].push_back({{"application", worker.application}, {"flush", worker.flush}});
  return object;
}

Json object_of(const bench::ThesisProgram& thesis) {
  const auto known = [](auto value) { return value > 0 ? Json(value) : Json(); };
  return {{"source", "thesis"},
          {"program", thesis.program},
          {"workers", bench::kThesisWorkers},
          {"speedup", known(thesis.speedup)},
          {"best_workers", thesis.best_workers},
          {"master_limits_at", known(thesis.master_limits_at)}};
}

void add_objects(const bench::BddtPlan& plan, const std::vector<bench::BddtRow>& rows, Global& global) {
  for (const bench::BddtRow& row : rows) global.add(object_of(row));
  for (const bench::ThesisProgram& thesis : bench::thesis_programs())
    if (std::find(plan.programs.begin(), plan.programs.end(), thesis.program) != plan.programs.end())
      global.add(object_of(thesis));
}

int judge(const std::vector<bench::BddtRow>& rows) {
  for (const bench::BddtRow& row : rows)
    if (!row.error.empty()) return fail(row.program + ", " + row.runtime + ": " + row.error);
  return kDone;
}

std::vector<bench::BddtRow> measured(const bench::BddtPlan& plan, Global& global) {
  PlanProgress progress(global);
  return bench::measure_bddt(plan, [&](const bench::Progress& p) { progress.show(p.done, p.total, p.next); });
}

}  // namespace

int run_bench_bddt(const BddtSettings& settings, Global& global) {
  const auto plan = plan_of(settings);
  if (!plan) return fail(plan.status());
  auto plot = Plot::create(settings.plot);
  if (!plot) return fail(plot.status());
  global.print("{}{}\n", bench::machine_note(), bench::bddt_plan_text(*plan));
  const auto rows = measured(*plan, global);
  add_objects(*plan, rows, global);
  global.print("{}\n{}", bench::bddt_tables(*plan, rows), bench::bddt_targets(*plan, rows));
  const int status = judge(rows);
  if (!*plot) return status;
  const auto drawn = (*plot)->draw(bench::bddt_plot(*plan, rows));
  return drawn ? status : fail(drawn);
}

}  // namespace weir::tool
