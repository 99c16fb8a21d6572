// SPDX-License-Identifier: Apache-2.0

// weir bench tasks: the costs of tasks in Weir and in other runtimes, side by side.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/report/measure.hpp"
#include "bench/report/metg_table.hpp"
#include "bench/report/rank_plan.hpp"
#include "bench/report/render.hpp"
#include "demos/bench_options.hpp"
#include "json.hpp"
#include "plan_progress.hpp"
#include "platform/process.hpp"
#include "plotting.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr double kHelperSeconds = 60;  // for runners that only say their version

struct Plan {
  std::vector<std::string> names;    // of all runtimes
  std::vector<bench::Runner> found;  // of those, all there are
  bench::Measurement what;
};

int usable_processors() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
}

bench::Amount amount_of(const TasksSettings& settings) {
  bench::Amount amount = bench::amount_of(settings.extent());
  if (settings.rounds > 0) amount.rounds = settings.rounds;
  if (settings.repeat > 0) amount.repeat = settings.repeat;
  amount.width = settings.amount.width;
  amount.timeout_s = settings.amount.timeout_s;
  return amount;
}

// Behind Weir, which they mostly are to be compared with.
Status add_beside(const std::vector<std::string>& beside, std::vector<bench::Runner>& runners) {
  std::size_t at = std::min<std::size_t>(1, runners.size());
  for (const std::string& text : beside) {
    auto runner = bench::runner_beside(text);
    if (!runner) return runner.status();
    runners.insert(runners.begin() + static_cast<std::ptrdiff_t>(at++), *runner);
  }
  return Status::success();
}

Result<Plan> plan_of(const TasksSettings& settings) {
  auto benches = bench::chosen_benches(settings.benches, settings.extent());
  if (!benches) return benches.status();
  std::vector<int> workers;
  if (!settings.workers.empty()) {
    auto named = bench::chosen_workers(settings.workers);
    if (!named) return named.status();
    workers = *named;
  }
  const auto found = bench::find_runners(settings.runners);
  auto runners = bench::chosen_runners(settings.runtimes, found, settings.extent());
  if (!runners) return runners.status();
  if (const Status bad = add_beside(settings.beside, *runners); !bad) return bad;
  return Plan{bench::runtime_names(), found, {*benches, *runners, workers, usable_processors(), amount_of(settings)}};
}

Result<Plan> rank_plan_of(const TasksSettings& settings) {
  if (settings.amount.width < settings.ranks) {
    return Status{Code::bad_option,
                  fmt::format("--ranks {} needs as many columns: --width {}", settings.ranks, settings.amount.width)};
  }
  const auto benches = bench::chosen_rank_benches(settings.benches, settings.extent());
  if (!benches) return benches.status();
  const auto workers = bench::rank_workers(settings.workers, settings.ranks);
  if (!workers) return workers.status();
  const auto found = bench::find_rank_runners(settings.ranks, settings.runners);
  auto runners = bench::chosen_rank_runners(settings.runtimes, found);
  if (!runners) return runners.status();
  if (const Status bad = add_beside(settings.beside, *runners); !bad) return bad;
  return Plan{
      bench::rank_runtime_names(), found, {*benches, *runners, *workers, usable_processors(), amount_of(settings)}};
}

Json optional_median(const std::vector<double>& samples) {
  return samples.empty() ? Json() : Json(bench::summary_of(samples).median);
}

Json object_of(const bench::Row& row) {
  Json object = {
      {"bench", row.bench}, {"runtime", row.runtime}, {"workers", row.workers}, {"value", nullptr}, {"unit", row.unit}};
  if (row.has_value()) {
    const bench::Summary summary = bench::summary_of(row.samples);
    object["value"] = object["median"] = summary.median;
    object["min"] = summary.least;
    object["max"] = summary.most;
    object["rounds"] = row.samples.size();
    object["ratio"] = row.ratio > 0 ? Json(row.ratio) : Json();
    object["cpu"] = optional_median(row.cpu_samples);
    object["cold"] = optional_median(row.cold_samples);
    object["worst"] = row.worst > 0 ? Json(row.worst) : Json();
    object["over_processors"] = row.over_processors > 0 ? Json(row.over_processors) : Json();
    object["line_ns"] = optional_median(row.line_samples);
    if (row.bound() != bench::Bound::exact) object["bound"] = row.bound() == bench::Bound::above ? ">" : "<";
  }
  if (!row.unsupported.empty()) object["unsupported"] = row.unsupported;
  if (!row.error.empty()) object["error"] = row.error;
  return object;
}

const bench::Runner* runner_of(const std::vector<bench::Runner>& runners, const std::string& runtime) {
  const auto runner = std::find_if(runners.begin(), runners.end(), [&](const auto& r) { return r.runtime == runtime; });
  return runner == runners.end() ? nullptr : &*runner;
}

// What the runner says of its runtime: the version, mostly.
std::string about(const bench::Runner& runner) {
  const auto output = platform::output_of({runner.path, "about"}, kHelperSeconds);
  if (!output) return output.status().message;
  const Json said = Json::parse(*output, nullptr, false);
  return said.is_object() && said.contains("about") ? said["about"].get<std::string>() : "of unknown version";
}

std::string versions_of(const Plan& plan) {
  std::string text;
  std::size_t width = 10;
  for (const std::string& name : plan.names) width = std::max(width, name.size() + 1);
  for (const std::string& name : plan.names) {
    const bench::Runner* measured = runner_of(plan.what.runners, name);
    const char* const why_not = runner_of(plan.found, name) == nullptr ? "not available" : "not chosen";
    text += fmt::format("  {:<{}}{}\n", name, width, measured != nullptr ? about(*measured) : why_not);
  }
  return text;
}

std::string line_times_of(const std::vector<bench::Row>& rows) {
  std::vector<double> samples;
  for (const bench::Row& row : rows) samples.insert(samples.end(), row.line_samples.begin(), row.line_samples.end());
  if (samples.empty()) return "";
  const bench::Summary line = bench::summary_of(samples);
  return fmt::format("a cache line took {:.0f} ns from core to core during that time ({:.0f}..{:.0f})\n", line.median,
                     line.least, line.most);
}

const char* const kColumnsText =
    "cpu: processor time of all threads; cold: first run in a process; worst: slowest run of all;\n"
    "x proc: more workers than processors, over as many as processors\n";

int report(const Plan& plan, const std::vector<bench::Row>& rows, Global& global) {
  for (const bench::Row& row : rows) global.add(object_of(row));
  global.print("{} rounds of {} runs; {}\n", plan.what.amount.rounds, plan.what.amount.repeat, kColumnsText);
  global.print("{}{}", bench::table_of(rows, plan.what.benches), line_times_of(rows));
  if (const std::string metg = bench::metg_table_of(rows); !metg.empty()) global.print("\n{}", metg);
  const auto failed = std::count_if(rows.begin(), rows.end(), [](const bench::Row& row) { return !row.error.empty(); });
  if (failed == 0) return kDone;
  const auto first = std::find_if(rows.begin(), rows.end(), [](const bench::Row& row) { return !row.error.empty(); });
  return fail(fmt::format("{} of {} measurements failed; first: {}, {}: {}", failed, rows.size(), first->bench,
                          first->runtime, first->error));
}

std::vector<bench::Row> measured(const bench::Measurement& what, Global& global) {
  PlanProgress progress(global);
  return bench::measure(what, [&](const bench::Progress& p) { progress.show(p.done, p.total, p.next); });
}

}  // namespace

int run_tasks(const TasksSettings& settings, Global& global) {
  const auto plan = settings.ranks > 0 ? rank_plan_of(settings) : plan_of(settings);
  if (!plan) return fail(plan.status());
  auto plot = Plot::create(settings.plot);
  if (!plot) return fail(plot.status());
  global.print("{}runtimes:\n{}", bench::machine_note(), versions_of(*plan));
  const auto rows = measured(plan->what, global);
  const int status = report(*plan, rows, global);
  if (!*plot) return status;
  const auto drawn = (*plot)->draw(bench::plot_of(rows));
  return drawn ? status : fail(drawn);
}

}  // namespace weir::tool
