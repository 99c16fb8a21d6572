// SPDX-License-Identifier: Apache-2.0

// weir bench: the costs of tasks in Weir and in other runtimes, side by side; and tiers (bench_tiers.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/report/child_process.hpp"
#include "bench/report/measure.hpp"
#include "bench/report/render.hpp"
#include "bench_tiers.hpp"
#include "json.hpp"
#include "plotting.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr double kHelperSeconds = 60;  // for runners that only say their version

struct TasksSettings {
  std::string benches = "all";
  std::string runtimes = "all";
  std::string workers = "1,2";
  std::string runners;
  std::string plot;
  bench::Amount amount;
};

struct Plan {
  std::vector<bench::Bench> benches;
  std::vector<bench::Runner> found;    // all there are
  std::vector<bench::Runner> runners;  // those to measure
  std::vector<int> workers;
};

Result<Plan> plan_of(const TasksSettings& settings) {
  auto benches = bench::chosen_benches(settings.benches);
  if (!benches) return benches.status();
  auto workers = bench::chosen_workers(settings.workers);
  if (!workers) return workers.status();
  const auto found = bench::find_runners(settings.runners);
  auto runners = bench::chosen_runners(settings.runtimes, found);
  if (!runners) return runners.status();
  return Plan{*benches, found, *runners, *workers};
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
  const auto output = bench::run_process({runner.path, "about"}, kHelperSeconds);
  if (!output) return output.status().message;
  const Json said = Json::parse(*output, nullptr, false);
  return said.is_object() && said.contains("about") ? said["about"].get<std::string>() : "of unknown version";
}

std::string versions_of(const Plan& plan) {
  std::string text;
  for (const std::string& name : bench::runtime_names()) {
    const bench::Runner* measured = runner_of(plan.runners, name);
    const char* const why_not = runner_of(plan.found, name) == nullptr ? "not available" : "not chosen";
    text += fmt::format("  {:<10}{}\n", name, measured != nullptr ? about(*measured) : why_not);
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

int report(const TasksSettings& settings, const Plan& plan, const std::vector<bench::Row>& rows, Global& global) {
  for (const bench::Row& row : rows) global.add(object_of(row));
  global.print("{} rounds of {} runs; cpu: processor time of all threads; cold: first run in a process\n\n",
               settings.amount.rounds, settings.amount.repeat);
  global.print("{}{}", bench::table_of(rows, plan.benches), line_times_of(rows));
  const auto failed = std::count_if(rows.begin(), rows.end(), [](const bench::Row& row) { return !row.error.empty(); });
  if (failed == 0) return kDone;
  const auto first = std::find_if(rows.begin(), rows.end(), [](const bench::Row& row) { return !row.error.empty(); });
  return fail(fmt::format("{} of {} measurements failed; first: {}, {}: {}", failed, rows.size(), first->bench,
                          first->runtime, first->error));
}

int run_tasks(TasksSettings settings, Global& global) {
  const auto plan = plan_of(settings);
  if (!plan) return fail(plan.status());
  std::optional<Plot> plot;
  if (!settings.plot.empty()) {
    auto made = Plot::create(settings.plot);
    if (!made) return fail(made.status());
    plot.emplace(std::move(*made));
  }
  if (settings.amount.quick) settings.amount.rounds = std::min(settings.amount.rounds, 2);
  if (settings.amount.quick) settings.amount.repeat = std::min(settings.amount.repeat, 3);
  global.print("{}runtimes:\n{}", bench::machine_note(), versions_of(*plan));
  const auto rows = bench::measure(plan->benches, plan->runners, plan->workers, settings.amount,
                                   [&global](const std::string& next) { global.progress(next); });
  global.progress("");
  const int status = report(settings, *plan, rows, global);
  if (!plot) return status;
  const auto drawn = plot->draw(bench::plot_script(rows, plot->terminal, plot->file->path()));
  return drawn ? status : fail(drawn);
}

const char* const kTasksText =
    "Measures the cost of a task in Weir and in every other task runtime that was present at build: oneTBB, libgomp, "
    "libomp, "
    "StarPU. Each measurement is a process of its own; the runtimes take turns, so that what else the machine does "
    "falls on all "
    "of them.\n\n"
    "independent: empty tasks from one producer. chain: each task depends on the one before, through one inout "
    "footprint. "
    "forkjoin: fib(30), one task for each call. wavefront: a grid in which a task depends on its left and its upper "
    "neighbour. "
    "bytes_per_task: memory of a task that waits. metg_PATTERN: the smallest average task duration at which half of "
    "the "
    "machine's peak is reached (Task Bench), for graphs of a given width; every task checks its inputs, and it is "
    "checked that "
    "each ran once.\n\n"
    "Wall-clock time; medians of all rounds, and ratios to Weir. A run whose result is wrong, that fails or takes too "
    "long, is an "
    "error in its row, and the exit status is 1.";

void add_tasks(CLI::App& parent, Global& global) {
  auto settings = std::make_shared<TasksSettings>();
  CLI::App& verb =
      add_verb(parent, global,
               {.name = "tasks",
                .purpose = "costs of tasks, compared with other runtimes",
                .text = kTasksText,
                .examples = {{"weir bench tasks", "everything, about six minutes"},
                             {"weir bench tasks --quick --runtimes weir,tbb", "a first look"},
                             {"weir bench tasks --benches metg --plot metg.svg", "only METG, drawn"},
                             {"weir bench tasks --json > tasks.json", "for programs: one object per row"}}},
               [settings](Global& g) { return run_tasks(*settings, g); });
  add_option(
      verb, "--benches", settings->benches,
      "benchmarks, with commas between: independent, chain, forkjoin, wavefront, bytes_per_task, metg_PATTERN, or "
      "metg for all patterns; default all")
      .type_name("LIST");
  add_option(verb, "--runtimes", settings->runtimes,
             "runtimes, with commas between: weir, tbb, libgomp, libomp, starpu; default all that there are")
      .type_name("LIST");
  add_option(verb, "--workers", settings->workers, "numbers of workers, with commas between; default 1,2")
      .type_name("LIST");
  add_option(verb, "--rounds", settings->amount.rounds, "processes for each measurement; default 5").between(1, 1000);
  add_option(verb, "--repeat", settings->amount.repeat, "runs in each process, of which the median counts; default 5")
      .between(1, 1000);
  add_option(verb, "--width", settings->amount.width, "tasks side by side in the graphs of metg; default 8")
      .between(1, 1024);
  add_option(verb, "--timeout", settings->amount.timeout_s, "seconds after which a process has failed; default 120")
      .positive();
  add_flag(verb, "--quick", settings->amount.quick, "fewer tasks, 2 rounds of 3 runs: half a minute, rough numbers");
  add_option(verb, "--plot", settings->plot, "draw the medians to this .svg or .png file; needs gnuplot")
      .type_name("FILE");
  add_option(verb, "--runners", settings->runners,
             "where the weir-bench-* programs are; default the folder of this one")
      .type_name("FOLDER");
}

}  // namespace

void add_bench(CLI::App& app, Global& global) {
  CLI::App& verb = add_verb(app, global,
                            {.name = "bench",
                             .purpose = "measurements compared with other runtimes",
                             .text = "Measures what the runtime itself costs, and what it gives, compared with others.",
                             .examples = {{"weir bench tasks --quick", "costs of tasks, a first look"},
                                          {"weir bench tiers", "data larger than fast memory, five minutes"}}},
                            nullptr);
  add_tasks(verb, global);
  add_bench_tiers(verb, global);
}

}  // namespace weir::tool
