// SPDX-License-Identifier: Apache-2.0

#include "bench_tiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

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

struct TiersSettings {
  bench::TiersRequest request;
  bench::TiersAmount amount;
  std::string budget, ratios;  // "": as for all that is not asked for
  bool full = false;
  std::string order = "reuse";
  std::string plot;
};

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

int run_tiers(TiersSettings settings, Global& global) {
  const auto plan = plan_of(settings, global.options);
  if (!plan) return fail(plan.status());
  std::optional<Plot> plot;
  if (!settings.plot.empty()) {
    auto made = Plot::create(settings.plot);
    if (!made) return fail(made.status());
    plot.emplace(std::move(*made));
  }
  global.print("{}{}\n", bench::machine_note(), bench::tiers_plan_text(*plan, settings.amount));
  const auto report = measured(*plan, settings.amount, global);
  for (const bench::TiersRow& row : report.rows) global.add(object_of(*plan, report, row));
  global.print("{}", bench::tiers_table(*plan, report));
  const int status = judge(report);
  if (!plot) return status;
  const auto drawn = plot->draw(bench::tiers_plot(*plan, report, plot->terminal, plot->file->path()));
  return drawn ? status : fail(drawn);
}

const char* const kText =
    "Measures what moving data between memory tiers gives when a program's data is larger than the fast tier: figures "
    "8 and 9 of the paper on memory-heterogeneity-aware runtimes, for this machine. Two programs, stencil3d and matmul "
    "(weir run), at several sizes over the fast tier; naive placement (off), each other strategy, and what one would "
    "do instead: mmap left to the kernel's paging in a memory cgroup, and StarPU's out-of-core.\n\n"
    "The fast tier is a budget of ordinary memory. The slow tier is a file, or ordinary memory slowed down "
    "(emulated:FRACTION), which every output then says.\n\n"
    "Each run is a process of its own; all take turns, and medians count. Results are compared with plain OpenMP in "
    "memory. The bound is the longer of computing with everything in memory and moving what any mover would have to: "
    "what an offline simulation of the same order of tasks with perfect knowledge (Belady) fetches and writes back, by "
    "the slow tier's bandwidth, which is measured in each round by reading and writing it.\n\n"
    "Without --evict, ahead and model evict by next use and the others as in the paper, what no task uses at once.";

void add_what(CLI::App& verb, TiersSettings& s) {
  add_option(verb, "--apps", s.request.apps, "programs, with commas between: stencil3d, matmul; default both")
      .type_name("LIST");
  add_option(verb, "--ratios", s.ratios, "sizes of the data over the fast tier; default 2, with --full 2,3.4")
      .type_name("LIST");
  add_option(verb, "--budget", s.budget,
             "the fast tier, about: sizes are whole blocks; default 128MiB, with --full 256MiB")
      .type_name("SIZE");
  add_option(verb, "--slow", s.request.slow,
             "the slow tier; file:FOLDER, or emulated:FRACTION of memory's copy bandwidth; default file:/tmp")
      .type_name("TIER");
  add_option(verb, "--strategies", s.request.strategies,
             "with commas between: off (always there), inline, single, multi, ahead, model; default all")
      .type_name("LIST");
  add_option(verb, "--evict", s.request.evict,
             "with commas between: refcount, lru, next-use, each with each strategy; default: each strategy's own")
      .type_name("LIST");
  add_option(verb, "--peers", s.request.peers, "mmap, starpu, or none; default those that can be run here")
      .type_name("LIST");
  add_option(verb, "--order", s.order, "order of the tasks, reuse or naive; default reuse").among({"reuse", "naive"});
}

void add_how_much(CLI::App& verb, TiersSettings& s) {
  add_flag(verb, "--full", s.full, "the sizes of the paper's figures instead of one that is done in minutes");
  add_option(verb, "--rounds", s.amount.rounds, "rounds in which all take turns; default 3").between(1, 1000);
  add_option(verb, "--repeat", s.amount.repeat, "runs of each in a round; default 1").between(1, 1000);
  add_option(verb, "--timeout", s.amount.timeout_s, "seconds after which a run has failed; default 120").positive();
  add_option(verb, "--plot", s.plot, "draw the speedups to this .svg or .png file; needs gnuplot").type_name("FILE");
}

}  // namespace

void add_bench_tiers(CLI::App& parent, Global& global) {
  auto settings = std::make_shared<TiersSettings>();
  CLI::App& verb =
      add_verb(parent, global,
               {.name = "tiers",
                .purpose = "data larger than fast memory, by strategy",
                .text = kText,
                .examples = {{"weir bench tiers", "the usual size, about three minutes"},
                             {"weir bench tiers --full", "two sizes, both larger, about twenty minutes"},
                             {"weir bench tiers --slow emulated:0.25 --plot tiers.svg", "the policy alone, drawn"},
                             {"weir bench tiers --apps matmul --ratios 2 --peers none", "a first look"},
                             {"weir bench tiers --json > tiers.json", "for programs: one object per row"}}},
               [settings](Global& g) { return run_tiers(*settings, g); });
  add_what(verb, *settings);
  add_how_much(verb, *settings);
  add_runtime_options(verb, global, {"tiers", "strategy", "evict"});
}

}  // namespace weir::tool
