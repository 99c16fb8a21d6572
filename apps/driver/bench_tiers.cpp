// SPDX-License-Identifier: Apache-2.0

#include "demos/bench_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bench/report/render.hpp"
#include "bench/tiers/measure.hpp"
#include "bench/tiers/plan.hpp"
#include "bench/tiers/render.hpp"
#include "json.hpp"
#include "machine/machine.hpp"
#include "plan_progress.hpp"
#include "plotting.hpp"

namespace weir::tool {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json number_or_null(double number) { return number > 0 ? Json(number) : Json(); }

Json object_of(const bench::TiersPlan& plan, const bench::TiersReport& report, const bench::TiersRow& row) {
  const bench::Setup& setup = *row.setup;
  const auto budget = setup.settings.budget;
  Json object = {{"app", setup.app->name()},
                 {"runtime", row.contender->runtime()},
                 {"strategy", text_or_null(row.contender->strategy())},
                 {"evict", text_or_null(row.contender->evict_name())},
                 {"total_over_fast", static_cast<double>(setup.app->total_bytes()) / static_cast<double>(budget)},
                 {"seconds", nullptr},
                 {"speedup_over_naive", row.speedup_over_naive ? Json(*row.speedup_over_naive) : Json()},
                 {"bytes_moved", nullptr},
                 {"resident_seconds", number_or_null(row.resident_seconds)},
                 {"bound_seconds", number_or_null(row.bound_seconds)},
                 {"peak_rss_bytes", nullptr},
                 {"budget_bytes", budget},
                 {"emulated", plan.slow.emulated()}};
  if (row.has_value()) {
    object["seconds"] = row.seconds();
    object["bytes_moved"] = row.bytes_moved();
    object["peak_rss_bytes"] = row.peak_rss_bytes();
    object["hit_rate"] = row.contender->weir() ? Json(row.hit_rate()) : Json();
    object["wait_seconds"] = row.contender->weir() ? Json(row.wait_seconds()) : Json();
    object["runs"] = Json::array();
    for (const auto& run : row.runs) object["runs"].push_back(run.seconds);
  }
  object["least_bytes_moved"] = row.least.fetched + row.least.written_back;
  object["slow_read_bytes_per_s"] = report.slow.read;
  object["slow_write_bytes_per_s"] = report.slow.write;
  object["slow_mixed_bytes_per_s"] = report.slow.mixed;
  object["total_bytes"] = setup.app->total_bytes();
  object["size"] = setup.app->size();
  object["order"] = setup.settings.order == apps::Order::naive ? "naive" : "reuse";
  object["workers"] = setup.settings.threads;
  if (!row.error.empty()) object["error"] = row.error;
  return object;
}

// A peer that fails (StarPU may move data for ever) is a row that says so; one of Weir's is a failure of the whole.
int judge(const bench::TiersReport& report) {
  if (!report.failed.empty()) return fail(report.failed);
  const auto failed = [](const bench::TiersRow& row) { return !row.error.empty() && row.contender->weir(); };
  const auto first = std::find_if(report.rows.begin(), report.rows.end(), failed);
  if (first == report.rows.end()) return kDone;
  return fail(fmt::format("{} of {} rows failed; first: {} {:g}x, {}: {}",
                          std::count_if(report.rows.begin(), report.rows.end(), failed), report.rows.size(),
                          first->setup->app->name(), first->setup->ratio, first->contender->label(), first->error));
}

base::Result<bench::TiersPlan> plan_of(TiersSettings& settings, const Options& options) {
  const bench::TiersRequest usual = settings.full ? bench::full_tiers() : bench::usual_tiers();
  settings.request.ratios = settings.ratios.empty() ? usual.ratios : settings.ratios;
  settings.request.budget = usual.budget;
  if (!settings.budget.empty()) {
    const auto budget = apps::parse_bytes("--budget", settings.budget);
    if (!budget) return budget.status();
    settings.request.budget = *budget;
  }
  auto machine = machine::Machine::discover();
  if (!machine) return machine.status();
  settings.request.order = settings.order == "naive" ? apps::Order::naive : apps::Order::reuse;
  settings.request.workers = options.workers > 0 ? options.workers : machine->default_worker_count();
  return bench::plan_tiers(settings.request, options);
}

bench::TiersReport measured(const bench::TiersPlan& plan, const bench::TiersAmount& amount, Global& global) {
  PlanProgress progress(global);
  return bench::measure_tiers(plan, amount, [&](const bench::Progress& p) { progress.show(p.done, p.total, p.next); });
}

}  // namespace

int run_bench_tiers(TiersSettings settings, Global& global) {
  const auto plan = plan_of(settings, global.options);
  if (!plan) return fail(plan.status());
  auto plot = Plot::create(settings.plot);
  if (!plot) return fail(plot.status());
  global.print("{}{}\n", bench::machine_note(), bench::tiers_plan_text(*plan, settings.amount));
  const auto report = measured(*plan, settings.amount, global);
  for (const bench::TiersRow& row : report.rows) global.add(object_of(*plan, report, row));
  global.print("{}", bench::tiers_table(*plan, report));
  const int status = judge(report);
  if (!*plot) return status;
  const auto drawn = (*plot)->draw(bench::tiers_plot(*plan, report));
  return drawn ? status : fail(drawn);
}

}  // namespace weir::tool
