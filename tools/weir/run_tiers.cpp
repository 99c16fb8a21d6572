// SPDX-License-Identifier: Apache-2.0

#include "run_tiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "apps/common/isolated.hpp"
#include "apps/common/median.hpp"
#include "apps/common/tiered_run.hpp"
#include "apps/matmul/app.hpp"
#include "apps/stencil3d/app.hpp"
#include "json.hpp"
#include "kept_traces.hpp"
#include "live_progress.hpp"
#include "machine/machine.hpp"
#include "memory/tier_spec.hpp"
#include "platform/memory_limit.hpp"
#include "run_report.hpp"

namespace weir::tool {
namespace {

using apps::Outcome;
using apps::TierApp;
using apps::TierVariant;
using apps::TierVariantKind;
using base::Code;
using base::Result;
using base::Status;

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLeastTier = 4096;  // as memory::parse_tiers() has it
constexpr double kTimeoutSeconds = 3600;
// Of mmap and StarPU: this many seconds, or so many times what a run in memory is guessed to take.
constexpr double kPeerSeconds = 30, kPeerToPlan = 20;

// What both applications are asked.
struct Asked {
  std::string size;
  std::vector<std::string> variants;
  int repetitions = 1;
  double ratio = 2;
  std::string slow = "file:/tmp";
  std::string order = "reuse";
};

// A run, decided.
struct Job {
  std::unique_ptr<TierApp> app;
  apps::TierSettings settings;
  std::vector<const TierVariant*> variants;
  std::vector<std::string> skipped;  // lines
  bool emulated = false;
  bool named = false;  // the variants were
  int repetitions = 1;

  double total_over_fast() const {
    return static_cast<double>(app->total_bytes()) / static_cast<double>(settings.budget);
  }
};

struct Row {
  const TierVariant* variant;
  std::vector<Outcome> runs;
  std::string wrong;
  std::string failed;  // why a peer has no result

  double median(double (*value)(const Outcome&)) const {
    std::vector<double> values;
    for (const Outcome& run : runs) values.push_back(value(run));
    return apps::median(std::move(values));
  }
  double seconds() const {
    return median([](const Outcome& run) { return run.seconds; });
  }
};

bool is_peer(const TierVariant& variant) {
  return variant.kind == TierVariantKind::mmap || variant.kind == TierVariantKind::starpu;
}

double gib(double bytes) { return bytes / (1 << 30); }

// What `--tiers` says of the fast tier and of the slow one below it.
Status read_tiers(Job& job, apps::SlowTier& slow) {
  const auto spec = memory::parse_tiers(job.settings.runtime.tiers);
  if (!spec) return spec.status();
  if (spec->tiers.empty() || !spec->tiers.front().size) {
    return {Code::bad_option, fmt::format("--tiers: the fast tier needs a size here, such as memory=512MiB, not '{}'",
                                          job.settings.runtime.tiers)};
  }
  job.settings.budget = spec->tiers.front().size->count;
  for (const auto& tier : spec->tiers) {
    job.emulated = job.emulated || tier.kind == memory::TierKind::emulated;
    if (tier.kind == memory::TierKind::file) slow.folder = tier.path;
  }
  return Status::success();
}

Status choose_tiers(const Asked& asked, Job& job) {
  auto slow = apps::parse_slow_tier(asked.slow);
  if (!slow) return slow.status();
  if (job.settings.runtime.tiers.empty()) {
    const auto total = static_cast<double>(job.app->total_bytes());
    job.settings.budget = static_cast<std::uint64_t>(total / asked.ratio) / kPage * kPage;
    if (job.settings.budget < kLeastTier) {
      return {
          Code::bad_option,
          fmt::format("--size {} with --ratio {:g}: the fast tier would have {} bytes, and needs {}; choose a larger "
                      "size or a smaller ratio",
                      job.app->size(), asked.ratio, job.settings.budget, kLeastTier)};
    }
    job.settings.runtime.tiers = apps::tiers_text(*slow, job.settings.budget, job.app->total_bytes());
    job.emulated = slow->emulated();
  } else if (Status status = read_tiers(job, *slow); !status) {
    return status;
  }
  job.settings.folder = slow->folder.empty() ? "/tmp" : slow->folder;
  return Status::success();
}

// All that were asked for, or all; those that cannot be run here are left out with a line, or an error if named.
Status choose_variants(const Asked& asked, Job& job) {
  job.named = !asked.variants.empty();
  for (const TierVariant& variant : apps::tier_variants()) {
    const bool named = std::count(asked.variants.begin(), asked.variants.end(), variant.name) != 0;
    if (!named && !asked.variants.empty()) continue;
    const Status able = is_peer(variant) && job.emulated
                            ? Status{Code::unsupported, "it uses a file, and the slow tier is emulated"}
                            : apps::check_variant(variant);
    if (able) {
      job.variants.push_back(&variant);
    } else if (named) {
      return {able.code, fmt::format("{}: {}", variant.name, able.message)};
    } else {
      job.skipped.push_back(fmt::format("skipped  {}: {}", variant.name, able.message));
    }
  }
  return Status::success();
}

Status check_memory(const Job& job) {
  const bool resident = std::any_of(job.variants.begin(), job.variants.end(), [](auto* v) { return !v->tiered; });
  const std::uint64_t needed = resident ? job.app->total_bytes() : apps::allowed_bytes(job.settings.budget);
  const auto limit = platform::memory_limit();
  if (needed <= limit.bytes) return Status::success();
  return {Code::no_space,
          fmt::format("size {} needs {} bytes ({:.1f} GiB){}, but {} leaves {} bytes ({:.1f} GiB); choose a smaller "
                      "size{}",
                      job.app->size(), needed, gib(static_cast<double>(needed)), resident ? " in memory" : "",
                      limit.limited_by, limit.bytes, gib(static_cast<double>(limit.bytes)),
                      resident ? ", or --variants without serial, openmp, weir-resident and weir-island"
                               : " or a smaller budget")};
}

Result<Job> make_job(const Asked& asked, std::unique_ptr<TierApp> app, const Options& options) {
  auto machine = machine::Machine::discover();
  if (!machine) return machine.status();
  Job job;
  job.app = std::move(app);
  job.repetitions = asked.repetitions;
  job.settings.runtime = options;
  job.settings.threads = options.workers > 0 ? options.workers : machine->default_worker_count();
  job.settings.runtime.workers = job.settings.threads;
  job.settings.order = asked.order == "naive" ? apps::Order::naive : apps::Order::reuse;
  if (auto status = choose_tiers(asked, job); !status) return status;
  if (auto status = choose_variants(asked, job); !status) return status;
  if (auto status = check_memory(job); !status) return status;
  return job;
}

void print_header(const Job& job, Global& global) {
  global.print("problem  {}\n", job.app->describe());
  global.print("tiers    {}{}: the set of {:.2f} GiB is {:.2f}x the fast tier\n", job.settings.runtime.tiers,
               job.emulated ? " (emulated)" : "", gib(static_cast<double>(job.app->total_bytes())),
               job.total_over_fast());
  global.print("order    {}\n", job.app->describe_order(job.settings));
  global.print("threads  {}; each run in a process of its own\n", job.settings.threads);
  for (const std::string& line : job.skipped) global.print("{}\n", line);
}

// StarPU may move data for ever, and nobody should have to wait for it.
double timeout_of(const Job& job, const TierVariant& variant) {
  if (!is_peer(variant)) return kTimeoutSeconds;
  return std::max(kPeerSeconds, kPeerToPlan * job.app->guessed_seconds(job.settings.threads));
}

// In turns, A B C A B C. A run that fails is the end of all; a peer that nobody named is left out.
Result<std::vector<Row>> measure(const Job& job, Global& global) {
  std::vector<Row> rows;
  for (const TierVariant* variant : job.variants) rows.push_back({variant, {}, {}, {}});
  KeptTraces traces(global);
  IsolatedProgress progress(global);
  const apps::WatchIsolated watch([&](pid_t process) { progress.look(process); });
  for (int repetition = 0; repetition < job.repetitions; ++repetition) {
    for (Row& row : rows) {
      progress.set(fmt::format("{} {} of {}", row.variant->name, repetition + 1, job.repetitions));
      if (!row.failed.empty()) continue;
      traces.begin(std::string(row.variant->name), repetition, job.repetitions);
      auto outcome = apps::run_variant(*job.app, *row.variant, job.settings, timeout_of(job, *row.variant));
      if (outcome) {
        row.runs.push_back(std::move(*outcome));
      } else if (is_peer(*row.variant) && !job.named) {
        row.failed = outcome.status().message;
      } else {
        return Status{outcome.status().code, fmt::format("{}: {}", row.variant->name, outcome.status().message)};
      }
    }
  }
  global.progress("");
  traces.finish(global);
  for (const Row& row : rows) {
    if (!row.failed.empty()) global.print("failed   {}: {}\n", row.variant->name, row.failed);
  }
  std::erase_if(rows, [](const Row& row) { return !row.failed.empty(); });
  return rows;
}

// What the block checksums are compared with: the first of serial and openmp that was run; else they are computed
// where memory allows it; else the first row.
std::vector<std::uint64_t> reference_result(const Job& job, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    if (row.variant->kind == TierVariantKind::serial || row.variant->kind == TierVariantKind::openmp)
      return row.runs.front().result;
  }
  if (!rows.front().runs.front().result.empty() && job.app->total_bytes() <= platform::memory_limit().bytes) {
    const auto outcome = apps::run_variant(*job.app, *apps::find_tier_variant("openmp"), job.settings, kTimeoutSeconds);
    if (outcome) return outcome->result;
  }
  return rows.front().runs.front().result;
}

void compare(const Job& job, std::vector<Row>& rows) {
  const auto wanted = reference_result(job, rows);
  for (Row& row : rows) {
    for (const Outcome& run : row.runs) {
      if (!row.wrong.empty()) continue;
      row.wrong = run.wrong;
      const auto differ = std::mismatch(wanted.begin(), wanted.end(), run.result.begin(), run.result.end());
      if (differ.first == wanted.end() && differ.second == run.result.end()) continue;
      row.wrong = fmt::format("block {} differs", differ.first - wanted.begin());
    }
  }
}

std::string runtime_of(const TierVariant& variant) {
  return variant.name.starts_with("weir") ? "weir" : std::string(variant.name);
}

const char* evict_text(Evict evict) {
  return evict == Evict::refcount ? "refcount" : evict == Evict::lru ? "lru" : "next-use";
}

Json object_of(const Job& job, const Row& row) {
  const bool weir = row.variant->kind == TierVariantKind::weir;
  const bool tiered = row.variant->tiered;
  const auto of_weir = [&](double (*value)(const Outcome&)) { return weir ? Json(row.median(value)) : Json(); };
  std::uint64_t peak = 0;
  for (const Outcome& run : row.runs) peak = std::max(peak, run.peak_rss_bytes);
  return {{"app", job.app->name()},
          {"variant", row.variant->name},
          {"runtime", runtime_of(*row.variant)},
          {"strategy", weir ? Json(row.variant->name.substr(5)) : Json()},
          {"evict", weir && tiered ? Json(evict_text(job.settings.runtime.evict)) : Json()},
          {"total_over_fast", tiered ? Json(job.total_over_fast()) : Json()},
          {"seconds", row.seconds()},
          {"bytes_moved", static_cast<std::uint64_t>(
                              row.median([](const Outcome& run) { return static_cast<double>(run.bytes_moved()); }))},
          {"peak_rss_bytes", peak},
          {"budget_bytes", tiered ? Json(job.settings.budget) : Json()},
          {"emulated", tiered && job.emulated},
          {"agrees", row.wrong.empty()},
          {"difference", row.wrong.empty() ? Json() : Json(row.wrong)},
          {"hit_rate", of_weir([](const Outcome& run) { return run.hit_rate(); })},
          {"wait_seconds", of_weir([](const Outcome& run) { return run.wait_seconds; })},
          {"in_place", of_weir([](const Outcome& run) { return static_cast<double>(run.in_place); })},
          {"size", job.app->size()},
          {"total_bytes", job.app->total_bytes()},
          {"order", job.settings.order == apps::Order::naive ? "naive" : "reuse"},
          {"threads", row.variant->kind == TierVariantKind::serial ? 1 : job.settings.threads},
          {"repetitions", row.runs.size()}};
}

void print_table(const Job& job, const std::vector<Row>& rows, Global& global) {
  std::optional<double> naive;
  for (const Row& row : rows) {
    if (row.variant->name == "weir-off") naive = row.seconds();
  }
  global.print("\n{:<14} {:>9} {:>8} {:>8} {:>7} {:>7} {:>9}  {}\n", "variant", "s", "vs off", "GiB", "hits", "wait s",
               "peak MiB", "result");
  for (const Row& row : rows) {
    const Json o = object_of(job, row);
    const bool moves = row.variant->kind == TierVariantKind::weir && row.variant->tiered;
    global.print("{:<14} {:>9.3f} {:>8} {:>8.2f} {:>7} {:>7} {:>9.0f}  {}\n", row.variant->name, row.seconds(),
                 naive ? fmt::format("{:.2f}x", *naive / row.seconds()) : "-", gib(o["bytes_moved"].get<double>()),
                 moves ? fmt::format("{:.1f}%", 100 * o["hit_rate"].get<double>()) : "-",
                 moves ? fmt::format("{:.2f}", o["wait_seconds"].get<double>()) : "-",
                 o["peak_rss_bytes"].get<double>() / (1 << 20), row.wrong.empty() ? "agrees" : "DIFFERS");
  }
  global.print(
      "\ns: making the data and checking it are not in it. vs off: how many times as fast as data that stays where it "
      "was put. GiB: moved between the tiers, for mmap and starpu as the kernel counts. The fast tier has {:.0f} "
      "MiB.\n",
      static_cast<double>(job.settings.budget) / (1 << 20));
}

int run_app(const Asked& asked, Result<std::unique_ptr<TierApp>> app, Global& global) {
  if (!app) return fail(app.status());
  const auto job = make_job(asked, std::move(*app), global.options);
  if (!job) return fail(job.status());
  print_header(*job, global);
  auto rows = measure(*job, global);
  if (!rows) return fail(rows.status());
  compare(*job, *rows);
  for (const Row& row : *rows) global.add(object_of(*job, row));
  print_table(*job, *rows, global);
  const auto wrong = std::find_if(rows->begin(), rows->end(), [](const Row& row) { return !row.wrong.empty(); });
  if (wrong == rows->end()) return kDone;
  return fail(fmt::format("the result of {} is wrong: {}", wrong->variant->name, wrong->wrong));
}

void add_common_options(CLI::App& verb, Asked& asked, Global& global) {
  std::vector<std::string> names;
  for (const TierVariant& variant : apps::tier_variants()) names.emplace_back(variant.name);
  add_option(verb, "--variants", asked.variants, "which to run, with commas between; default all that can be run here")
      .comma_separated()
      .among(names)
      .type_name("LIST");
  add_option(verb, "--repeat", asked.repetitions, "runs of each variant, of which the median counts; default 1")
      .between(1, 1000);
  add_option(verb, "--order", asked.order,
             "in which order tasks are made; reuse: so that what is in the fast tier is used again; naive: as a "
             "plain loop would; default reuse")
      .among({"reuse", "naive"});
  add_option(verb, "--ratio", asked.ratio, "without --tiers: how many times the fast tier the data is; default 2")
      .between(0.01, 1000.0);
  add_option(verb, "--slow", asked.slow,
             "without --tiers: the slow tier; file:FOLDER, or emulated:FRACTION, memory slowed down to that "
             "fraction of its copy bandwidth; default file:/tmp")
      .type_name("TIER");
  add_report_options(verb, global, [name = name_of(verb)] { return "weir run " + name; });
  add_runtime_options(verb, global, {"strategy"});
}

const char* const kVariantsText =
    "  serial         one thread, all in memory\n"
    "  openmp         parallel loops, all in memory\n"
    "  weir-resident  Weir, all in memory\n"
    "  weir-off       the fast tier is filled first, nothing is moved\n"
    "  weir-inline    workers fetch and evict themselves\n"
    "  weir-single    one thread moves\n"
    "  weir-multi     a thread for each worker moves\n"
    "  weir-ahead     before tasks are ready; what is needed last leaves\n"
    "  weir-model     as weir-ahead, where that gains more than it costs\n"
    "  weir-island    tasks on processes that see each other's writes as\n"
    "                 --island-memory says, all in memory (docs/islands.md)\n"
    "  mmap           openmp over a mapped file, in a memory cgroup of the\n"
    "                 fast tier's size, left to the kernel's paging\n"
    "  starpu         StarPU out of core, with its limit at that size\n\n"
    "Every run is a process of its own, so that its peak of resident memory is its own. --evict and the other options "
    "of "
    "the runtime hold for all of Weir's variants. A variant that cannot be run here (mmap "
    "without the right to make cgroups, starpu where it was not found at build), or that does not come to an end "
    "(starpu "
    "may move data for ever), is left out with a line. A result that is wrong ends with exit status 1.";

struct Stencil3dAsked : Asked {
  apps::stencil3d::Index side = 64, iterations = 10, sweeps = 20;
};

Result<std::unique_ptr<TierApp>> make_stencil3d(const Stencil3dAsked& asked) {
  constexpr std::uint64_t kDefaultBytes = std::uint64_t{512} << 20;
  apps::stencil3d::Shape shape{{}, asked.side, asked.iterations, asked.sweeps};
  if (asked.side % 8 != 0) {
    return Status{Code::bad_option, fmt::format("--block is a multiple of 8, not {}", asked.side)};
  }
  if (asked.size.empty()) {
    shape.blocks = apps::stencil3d::blocks_for(kDefaultBytes, asked.side);
  } else {
    const auto blocks = apps::stencil3d::parse_blocks(asked.size, asked.side);
    if (!blocks) return blocks.status();
    shape.blocks = *blocks;
  }
  return apps::stencil3d::make_app(shape);
}

struct MatmulAsked : Asked {
  apps::matmul::Index rows = 4096, tile = 512;
};

}  // namespace

void add_stencil3d(CLI::App& parent, Global& global) {
  using apps::stencil3d::Index;
  auto asked = std::make_shared<Stencil3dAsked>();
  CLI::App& verb = add_verb(
      parent, global,
      {.name = "stencil3d",
       .purpose = "heat in a solid: data larger than fast memory",
       .text = std::string("The 7-point stencil in double precision of the paper on memory-heterogeneity-aware "
                           "runtimes (apps/stencil3d/README.md). The grid is cut in cubic blocks; a task takes a block "
                           "and the faces of its six neighbours through several sweeps and publishes its faces.\n\n") +
               kVariantsText,
       .examples = {{"weir run stencil3d", "all variants, data twice the fast tier, under a minute on two cores"},
                    {"weir run stencil3d --ratio 3.4 --slow emulated:0.25", "the policy alone: no disk"},
                    {"weir run stencil3d --tiers memory=512MiB,file=/scratch:8GiB --size 512x512x2048",
                     "your tiers, your size"},
                    {"weir run stencil3d --variants weir-ahead --report", "where the time of that one went"},
                    {"weir run stencil3d --variants weir-off,weir-ahead --json", "one object a variant"}}},
      [asked](Global& g) { return run_app(*asked, make_stencil3d(*asked), g); });
  add_option(verb, "--size", asked->size,
             "cells: N or NXxNYxNZ, multiples of --block; default about 0.5 GiB, eight times as long as wide")
      .type_name("SIZE");
  add_option(verb, "--block", asked->side, "cells of a block in each direction, a multiple of 8; default 64")
      .between(Index{8}, Index{1024});
  add_option(verb, "--iterations", asked->iterations, "outer iterations: exchanges of faces; default 10")
      .between(Index{1}, Index{1'000'000});
  add_option(verb, "--sweeps", asked->sweeps, "sweeps of a block in an iteration, as in the paper; default 20")
      .between(Index{1}, Index{100'000});
  add_common_options(verb, *asked, global);
}

void add_matmul(CLI::App& parent, Global& global) {
  using apps::matmul::Index;
  auto asked = std::make_shared<MatmulAsked>();
  CLI::App& verb = add_verb(
      parent, global,
      {.name = "matmul",
       .purpose = "a matrix product: data larger than fast memory",
       .text = std::string("C = A * B of square matrices of double in tiles, the second program of the paper on "
                           "memory-heterogeneity-aware runtimes (apps/matmul/README.md). A task multiplies two tiles "
                           "with OpenBLAS on one thread. The entries are small integers, so that every result can be "
                           "checked exactly: by random vectors (Freivalds) and by a sample.\n\n") +
               kVariantsText,
       .examples = {{"weir run matmul", "all variants, data twice the fast tier, under a minute on two cores"},
                    {"weir run matmul --order naive --variants weir-ahead", "what the order of tasks is worth"},
                    {"weir run matmul --size 16384 --tile 1024 --ratio 4 --variants weir-ahead", "larger than memory"},
                    {"weir run matmul --json", "one object a variant"}}},
      [asked](Global& g) {
        return run_app(*asked, apps::matmul::make_app({asked->rows, std::min(asked->rows, asked->tile)}), g);
      });
  add_option(verb, "--size", asked->rows, "rows and columns; default 4096")
      .between(Index{1}, apps::matmul::kLargestSize)
      .type_name("N");
  add_option(verb, "--tile", asked->tile, "rows and columns of a tile; default 512")
      .between(Index{1}, Index{32768})
      .type_name("N");
  add_common_options(verb, *asked, global);
}

}  // namespace weir::tool
