// SPDX-License-Identifier: Apache-2.0

// weir bench: the costs of tasks in Weir and in other runtimes, side by side; and tiers (bench_tiers.cpp).
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/report/child_process.hpp"
#include "bench/report/measure.hpp"
#include "bench/report/metg_table.hpp"
#include "bench/report/render.hpp"
#include "bench_tiers.hpp"
#include "json.hpp"
#include "plan_progress.hpp"
#include "plotting.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr double kHelperSeconds = 60;  // for runners that only say their version

struct TasksSettings {
  std::string benches, runtimes, workers;  // "": those of the extent
  std::vector<std::string> beside;
  std::string runners;
  std::string plot;
  bool quick = false, full = false;
  int rounds = 0, repeat = 0;  // 0: as many as the extent has
  bench::Amount amount;

  bench::Extent extent() const {
    return full ? bench::Extent::full : quick ? bench::Extent::quick : bench::Extent::usual;
  }
};

struct Plan {
  std::vector<bench::Runner> found;  // all there are
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
  return Plan{found, {*benches, *runners, workers, usable_processors(), amount_of(settings)}};
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
  const auto output = bench::run_process({runner.path, "about"}, kHelperSeconds);
  if (!output) return output.status().message;
  const Json said = Json::parse(*output, nullptr, false);
  return said.is_object() && said.contains("about") ? said["about"].get<std::string>() : "of unknown version";
}

std::string versions_of(const Plan& plan) {
  std::string text;
  for (const std::string& name : bench::runtime_names()) {
    const bench::Runner* measured = runner_of(plan.what.runners, name);
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

int run_tasks(const TasksSettings& settings, Global& global) {
  const auto plan = plan_of(settings);
  if (!plan) return fail(plan.status());
  std::optional<Plot> plot;
  if (!settings.plot.empty()) {
    auto made = Plot::create(settings.plot);
    if (!made) return fail(made.status());
    plot.emplace(std::move(*made));
  }
  global.print("{}runtimes:\n{}", bench::machine_note(), versions_of(*plan));
  const auto rows = measured(plan->what, global);
  const int status = report(*plan, rows, global);
  if (!plot) return status;
  const auto drawn = plot->draw(bench::plot_script(rows, plot->terminal, plot->file->path()));
  return drawn ? status : fail(drawn);
}

const char* const kTasksText =
    "Measures the cost of a task in Weir and in every other task runtime that was present at build: oneTBB, "
    "Taskflow, libgomp, libomp, StarPU; and in plain calls (serial). Each measurement is a process of its own; the "
    "runtimes take turns, so that what else the machine does falls on all of them.\n\n"
    "independent: empty tasks from one producer. chain: each task depends on the one before, through one inout "
    "footprint. forkjoin: fib(30), one task for each call. wavefront: a grid in which a task depends on its left and "
    "its "
    "upper neighbour. bytes_per_task: memory of a task that waits. metg_PATTERN: the smallest average task duration at "
    "which half of the machine's peak is reached (Task Bench), for graphs of a given width: trivial, stencil_1d, "
    "nearest, spread, fft, random_nearest, dom, tree, all_to_all. metg_PATTERN_fresh: the same where each task writes "
    "memory that was never named before, as in programs that allocate for every step; in the others two cells of a "
    "column take turns. small_PATTERN: tasks of 0.14 us, with more workers than processors, too. In all graphs every "
    "task checks that its inputs are those of the right tasks, and it is checked that each ran once.\n\n"
    "Wall-clock time; medians of all rounds, and ratios to Weir. A run whose result is wrong, that fails or takes too "
    "long, is an error in its row, and the exit status is 1.\n\n"
    "By default 3 rounds of 3 runs, without StarPU, small_PATTERN, and METG of trivial and all_to_all; --full measures "
    "everything in 5 rounds of 5 runs. What is named is measured in any case.";

void add_tasks(CLI::App& parent, Global& global) {
  auto settings = std::make_shared<TasksSettings>();
  CLI::App& verb =
      add_verb(parent, global,
               {.name = "tasks",
                .purpose = "costs of tasks, compared with other runtimes",
                .text = kTasksText,
                .examples = {{"weir bench tasks", "the usual selection, two to three minutes"},
                             {"weir bench tasks --full", "everything, about twenty minutes"},
                             {"weir bench tasks --quick --runtimes weir,tbb", "a first look"},
                             {"weir bench tasks --benches metg --plot metg.svg", "only METG, drawn"},
                             {"weir bench tasks --benches small --runtimes weir,tbb", "more workers than processors"},
                             {"weir bench tasks --benches metg --runtimes weir --against old=FOLDER/weir-bench-weir",
                              "this build and another in turns"},
                             {"weir bench tasks --json > tasks.json", "for programs: one object per row"}}},
               [settings](Global& g) { return run_tasks(*settings, g); });
  add_option(verb, "--benches", settings->benches,
             "benchmarks, with commas between: independent, chain, forkjoin, wavefront, bytes_per_task, metg_PATTERN, "
             "metg_PATTERN_fresh, small_PATTERN, metg or small for all of these, or all; default see above")
      .type_name("LIST");
  add_option(verb, "--runtimes", settings->runtimes,
             "runtimes, with commas between: weir, tbb, taskflow, libgomp, libomp, starpu, serial, or all; default all "
             "that there are but starpu")
      .type_name("LIST");
  add_option(
      verb, "--workers", settings->workers,
      "numbers of workers, with commas between; default 1,2, and for small_PATTERN as many as processors, twice and "
      "four times as many")
      .type_name("LIST");
  add_option(verb, "--against", settings->beside,
             "measure this runner too, under a name of its own: weir-bench-weir of another build")
      .type_name("NAME=PROGRAM")
      .comma_separated();
  add_option(verb, "--rounds", settings->rounds, "processes for each measurement; default 3, 5 with --full")
      .default_str("")
      .between(1, 1000);
  add_option(verb, "--repeat", settings->repeat,
             "runs in each process, of which the median counts; default 3, 5 with --full")
      .default_str("")
      .between(1, 1000);
  add_option(verb, "--width", settings->amount.width, "tasks side by side in the graphs of metg; default 8")
      .between(1, 1024);
  add_option(verb, "--timeout", settings->amount.timeout_s, "seconds after which a process has failed; default 120")
      .positive();
  add_flag(verb, "--quick", settings->quick, "fewer tasks, 2 rounds of 3 runs: a minute, rough numbers");
  add_flag(verb, "--full", settings->full, "all benchmarks and runtimes, 5 rounds of 5 runs");
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
                                          {"weir bench tiers", "data larger than fast memory, three minutes"}}},
                            nullptr);
  add_tasks(verb, global);
  add_bench_tiers(verb, global);
}

}  // namespace weir::tool
