// SPDX-License-Identifier: Apache-2.0

// weir bench prk: the Parallel Research Kernels in Weir and in other runtimes, side by side.
#include <fmt/format.h>

#include <algorithm>

#include "bench/prk/measure.hpp"
#include "bench/prk/render.hpp"
#include "bench/report/render.hpp"
#include "demos/bench_prk_options.hpp"
#include "json.hpp"
#include "plan_progress.hpp"
#include "plotting.hpp"

namespace weir::tool {
namespace {

Json object_of(const bench::PrkRow& row) {
  Json object = {{"kernel", row.bench},
                 {"stores", row.stores},
                 {"memory", row.memory.empty() ? Json() : Json(row.memory)},
                 {"workers", row.workers},
                 {"runtime", row.contender.runtime},
                 {"way", row.contender.way}};
  if (!row.has_value()) {
    object["error"] = row.error;
    return object;
  }
  const auto [least, most] = std::minmax_element(row.samples.begin(), row.samples.end());
  object["value"] = row.median();
  object["unit"] = row.unit;
  object["min"] = *least;
  object["max"] = *most;
  object["rounds"] = row.samples.size();
  object["over_best_other"] = row.over_best_other > 0 ? Json(row.over_best_other) : Json();
  return object;
}

std::vector<bench::PrkRow> measured(const bench::PrkPlan& plan, Global& global) {
  PlanProgress progress(global);
  return bench::measure_prk(plan, [&](const bench::Progress& p) { progress.show(p.done, p.total, p.next); });
}

int judge(const std::vector<bench::PrkRow>& rows) {
  const auto failed = [](const bench::PrkRow& row) { return !row.error.empty(); };
  const auto first = std::find_if(rows.begin(), rows.end(), failed);
  if (first == rows.end()) return kDone;
  return fail(fmt::format("{} of {} rows failed; first: {}, {}: {}", std::count_if(rows.begin(), rows.end(), failed),
                          rows.size(), first->bench, first->contender.name(), first->error));
}

}  // namespace

int run_bench_prk(const PrkSettings& settings, Global& global) {
  const auto machine = machine::Machine::discover();
  if (!machine) return fail(machine.status());
  const auto plan = bench::plan_prk(settings.request, *machine, bench::find_prk_contenders());
  if (!plan) return fail(plan.status());
  auto plot = Plot::create(settings.plot);
  if (!plot) return fail(plot.status());
  global.print("{}\n", bench::machine_note());
  const auto rows = measured(*plan, global);
  for (const bench::PrkRow& row : rows) global.add(object_of(row));
  global.print("median (least..most) of {} rounds\n{}\n{}", plan->rounds, bench::prk_table(rows),
               bench::prk_verdict(rows));
  const int status = judge(rows);
  if (!*plot) return status;
  const auto drawn = (*plot)->draw(bench::prk_plot(rows));
  return drawn ? status : fail(drawn);
}

}  // namespace weir::tool
