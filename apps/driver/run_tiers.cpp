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
#include "apps/common/units.hpp"
#include "apps/matmul/app.hpp"
#include "apps/stencil3d/app.hpp"
#include "json.hpp"
#include "kept_traces.hpp"
#include "live_progress.hpp"
#include "machine/machine.hpp"
#include "memory/tier_spec.hpp"
#include "platform/memory_limit.hpp"

namespace weir::tool {
namespace {

using apps::gib;
using apps::mib;
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

Status choose_tiers(const TiersAsked& asked, Job& job) {
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
Status choose_variants(const TiersAsked& asked, Job& job) {
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
                      job.app->size(), needed, gib(needed), resident ? " in memory" : "", limit.limited_by, limit.bytes,
                      gib(limit.bytes),
                      resident ? ", or --variants without serial, openmp, weir-resident and weir-island"
                               : " or a smaller budget")};
}

Result<Job> make_job(const TiersAsked& asked, std::unique_ptr<TierApp> app, const Options& options) {
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
               job.emulated ? " (emulated)" : "", gib(job.app->total_bytes()), job.total_over_fast());
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
                 mib(o["peak_rss_bytes"].get<double>()), row.wrong.empty() ? "agrees" : "DIFFERS");
  }
  global.print(
      "\ns: making the data and checking it are not in it. vs off: how many times as fast as data that stays where it "
      "was put. GiB: moved between the tiers, for mmap and starpu as the kernel counts. The fast tier has {:.0f} "
      "MiB.\n",
      mib(job.settings.budget));
}

int run_app(const TiersAsked& asked, Result<std::unique_ptr<TierApp>> app, Global& global) {
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

}  // namespace

int run_stencil3d(const Stencil3dAsked& asked, Global& global) { return run_app(asked, make_stencil3d(asked), global); }

int run_matmul(const MatmulAsked& asked, Global& global) {
  return run_app(asked, apps::matmul::make_app({asked.rows, std::min(asked.rows, asked.tile)}), global);
}

}  // namespace weir::tool
