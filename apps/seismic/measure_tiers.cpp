// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/measure_tiers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "apps/common/isolated.hpp"
#include "apps/common/median.hpp"
#include "apps/common/outcome.hpp"
#include "apps/common/stopwatch.hpp"
#include "apps/common/tier_counters.hpp"
#include "apps/seismic/band_plan.hpp"
#include "apps/seismic/weir_blocks.hpp"

namespace weir::apps::seismic {
namespace {

using base::Result;

constexpr double kTimeoutSeconds = 3600;

struct Case {
  const Size& size;
  const std::string& model;
  const Plan& plan;
};

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) throw Error(result.status().message);
  return std::move(*result);
}

std::uint64_t checksum(std::uint64_t sum, const double* cells, Index count) {
  for (Index x = 0; x < count; ++x) {
    std::uint64_t bits;
    std::memcpy(&bits, cells + x, sizeof bits);
    sum = (sum ^ bits) * 0x9e3779b97f4a7c15U;
    sum ^= sum >> 32;
  }
  return sum;
}

std::uint64_t row_checksum(const double* velocity, const double* stress_x, const double* stress_y, Index cols) {
  return checksum(checksum(checksum(1, velocity, cols), stress_x, cols), stress_y, cols);
}

Outcome run_plain(const Case& c, const Variant& variant) {
  Settings settings = c.plan.settings;
  settings.runtime.tiers.clear();
  auto earth = value_or_throw(make_earth(c.size, c.model));
  Problem problem = value_or_throw(Problem::create(*earth, settings.threads));
  earth.reset();
  problem.make_source(c.plan.iterations);
  const Fields& f = problem.fields();
  Outcome outcome;
  {
    const auto solver = variant.start(settings);
    solver->take(f);
    const Stopwatch watch;
    solver->run(f, problem.source(), 0, c.plan.iterations);
    outcome.seconds = watch.seconds();
    solver->give_back(f);
  }
  for (Index y = 0; y < f.rows; ++y) {
    const Index at = y * f.stride;
    outcome.result.push_back(row_checksum(f.velocity + at, f.stress_x + at, f.stress_y + at, f.cols));
  }
  return outcome;
}

void fill(BandGrid& grid, const Earth& earth, const Setup& setup) {
  grid.fill([&](Index y, const RowCells& row) {
    std::vector<double> velocity(static_cast<std::size_t>(setup.cols())), density(velocity.size());
    earth.row(y, velocity, density);
    setup.fill_ground(y, velocity, density, {row.material, row.damping, row.inverse_density});
  });
}

Outcome run_in_blocks(const Case& c) {
  const Settings& settings = c.plan.settings;
  auto earth = value_or_throw(make_earth(c.size, c.model));
  Setup setup(*earth, settings.threads);
  setup.make_source(c.plan.iterations);
  Runtime runtime(settings.runtime);
  BandGrid grid(runtime, choose_bands(c.size.rows, c.size.cols, settings.tiling.rows, runtime.worker_count(),
                                      fast_bytes(runtime)));
  fill(grid, *earth, setup);
  earth.reset();
  Outcome outcome;
  const TierCounters counters(runtime);
  const Stopwatch watch;
  run_bands(runtime, grid, settings, setup.source(), 0, c.plan.iterations);
  outcome.seconds = watch.seconds();
  counters.add_to(outcome);
  outcome.result.resize(static_cast<std::size_t>(c.size.rows));
  grid.read([&](Index y, const double* velocity, const double* stress_x, const double* stress_y) {
    outcome.result[static_cast<std::size_t>(y)] = row_checksum(velocity, stress_x, stress_y, c.size.cols);
  });
  return outcome;
}

Result<Outcome> run_once(const Case& c, const Variant& variant) {
  const auto work = [&] {
    Outcome outcome = variant.blocks ? run_in_blocks(c) : run_plain(c, variant);
    finish(outcome);
    return to_text(outcome);
  };
  Isolation isolation;
  isolation.seconds = kTimeoutSeconds;
  const auto text = run_isolated(work, isolation);
  if (!text) return base::Status{text.status().code, fmt::format("{}: {}", variant.name, text.status().message)};
  return outcome_of(*text);
}

void add(Measurement& m, const Outcome& outcome, const std::vector<std::uint64_t>& wanted) {
  m.seconds.push_back(outcome.seconds);
  const auto differ = std::mismatch(wanted.begin(), wanted.end(), outcome.result.begin(), outcome.result.end());
  if (differ.first == wanted.end() || m.difference) return;
  m.difference = fmt::format("V, S or T differs in row {}", differ.first - wanted.begin());
}

double median_of(const std::vector<Outcome>& runs, double (*value)(const Outcome&)) {
  std::vector<double> values;
  for (const Outcome& run : runs) values.push_back(value(run));
  return apps::median(std::move(values));
}

TierUse use_of(const std::vector<Outcome>& runs, std::uint64_t total_bytes) {
  TierUse use;
  use.bytes_moved = static_cast<std::uint64_t>(
      median_of(runs, [](const Outcome& run) { return static_cast<double>(run.bytes_moved()); }));
  use.hit_rate = median_of(runs, [](const Outcome& run) { return run.hit_rate(); });
  use.wait_seconds = median_of(runs, [](const Outcome& run) { return run.wait_seconds; });
  use.total_bytes = total_bytes;
  use.budget_bytes = runs.front().budget_bytes;
  use.emulated = runs.front().emulated;
  for (const Outcome& run : runs) use.peak_rss_bytes = std::max(use.peak_rss_bytes, run.peak_rss_bytes);
  return use;
}

}  // namespace

Result<std::vector<Measurement>> measure_with_tiers(const Size& size, const std::string& model, const Plan& plan,
                                                    const Progress& progress) {
  const Case c{size, model, plan};
  const Variant& serial = variants().front();
  progress(serial, 0);
  auto reference = run_once(c, serial);
  if (!reference) return reference.status();
  const std::vector<std::uint64_t> wanted = reference->result;
  std::vector<Measurement> all;
  for (const Variant* variant : plan.variants) all.push_back({variant, {}, {}, {}});
  std::vector<std::vector<Outcome>> runs(all.size());
  for (int repetition = 0; repetition < plan.repetitions; ++repetition) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool has_run = all[i].variant == &serial && repetition == 0;
      progress(*all[i].variant, repetition);
      if (!has_run) std::this_thread::sleep_for(plan.rest);
      auto outcome = has_run ? reference : run_once(c, *all[i].variant);
      if (!outcome) return outcome.status();
      add(all[i], *outcome, wanted);
      outcome->result.clear();
      runs[i].push_back(std::move(*outcome));
    }
  }
  const std::uint64_t total = band_layout(size.rows, size.cols, plan.settings.tiling.rows).total_bytes();
  for (std::size_t i = 0; i < all.size(); ++i) all[i].tiers = use_of(runs[i], total);
  return all;
}

}  // namespace weir::apps::seismic
