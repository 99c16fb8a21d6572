// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "apps/seismic/band_grid.hpp"
#include "apps/seismic/band_plan.hpp"
#include "apps/seismic/problem.hpp"
#include "apps/seismic/weir_blocks.hpp"

namespace weir::apps::seismic {
namespace {

constexpr Index kAll = std::numeric_limits<Index>::max();

struct PlanCase {
  Index rows, band_rows, first, count;
  int workers;
  Index at_hand;
};
std::ostream& operator<<(std::ostream& out, const PlanCase& c) {
  return out << c.rows << " rows in bands of " << c.band_rows << ", " << c.count << " iterations from " << c.first
             << ", workers " << c.workers << ", bands at hand " << c.at_hand;
}

class SeismicBandPlan : public ::testing::TestWithParam<PlanCase> {};

// Follows the tasks row by row: `done` iterations of each row.
TEST_P(SeismicBandPlan, DoesEachIterationOfEachRowOnceAndAfterWhatItNeeds) {
  const PlanCase& c = GetParam();
  const BandLayout layout = band_layout(c.rows, 10, c.band_rows);
  const Tiling tiling{3, c.band_rows, 16, 2, 8, 16};
  std::vector<Index> done(static_cast<std::size_t>(c.rows), c.first);
  const auto at = [&](Index y) { return y < 0 || y >= c.rows ? kAll : done[static_cast<std::size_t>(y)]; };
  for (const BandTask& task : plan_bands(layout, c.first, c.count, c.workers, c.at_hand)) {
    for_each_sweep(layout, tiling, task, [&](const Sweep& w) {
      if (w.col != 0) return;
      for (Index k = 0; k < w.iterations; ++k) {
        const Index last = std::min(w.row + w.rows - k, c.rows);
        for (Index y = std::max<Index>(w.row - k, 0); y < last; ++y) {
          ASSERT_GE(y, layout.first_row(task.band - 1)) << "only its band and the one above are written";
          ASSERT_EQ(at(y), w.first_iteration + k) << "row " << y << " of band " << task.band;
          ASSERT_GT(at(y - 1), w.first_iteration + k) << "above row " << y << " of band " << task.band;
          ASSERT_GE(at(y + 1), w.first_iteration + k) << "below row " << y << " of band " << task.band;
          ++done[static_cast<std::size_t>(y)];
        }
      }
    });
  }
  EXPECT_THAT(done, ::testing::Each(c.first + c.count));
}

INSTANTIATE_TEST_SUITE_P(Sizes, SeismicBandPlan,
                         ::testing::Values(PlanCase{1, 64, 0, 5, 2, kAll},     // one row
                                           PlanCase{64, 64, 3, 64, 1, kAll},   // as deep as can be
                                           PlanCase{128, 64, 0, 64, 1, kAll},  // the skew goes below the grid
                                           PlanCase{131, 10, 0, 37, 2, kAll}, PlanCase{131, 10, 0, 37, 8, kAll},
                                           PlanCase{131, 10, 7, 37, 8, 9},  // few layers a pass
                                           PlanCase{131, 10, 0, 37, 8, 0},  // one layer a pass
                                           PlanCase{131, 1, 0, 4, 3, kAll}, PlanCase{40, 16, 0, 0, 2, kAll}));

TEST(SeismicBandPlan, LayersOfAPassGoDownThreeBandsBehindEachOther) {
  Index lead = 0, follows = 0;
  for (const BandTask& task : plan_bands(band_layout(1000, 10, 10), 0, 100, 1, 16)) {  // passes of 3, 3 and 4 layers
    if (task.first_iteration == 0) lead = task.band;
    if (task.first_iteration != 20 || lead == 100) continue;
    EXPECT_EQ(lead - task.band, 6);
    ++follows;
  }
  EXPECT_EQ(lead, 100);
  EXPECT_EQ(follows, 94);  // bands 0 to 93, while the first layer is at 6 to 99
}

TEST(SeismicBandPlan, EveryWorkerHasALayer) {
  const auto tasks = plan_bands(band_layout(640, 10, 64), 0, 64, 4, kAll);
  std::vector<Index> layers;
  for (const BandTask& task : tasks) layers.push_back(task.first_iteration);
  std::sort(layers.begin(), layers.end());
  layers.erase(std::unique(layers.begin(), layers.end()), layers.end());
  EXPECT_THAT(layers, ::testing::ElementsAre(0, 16, 32, 48));
}

TEST(SeismicBandPlan, BandsAreLowerWhereFastMemoryIsShort) {
  const std::uint64_t band = band_layout(4096, 4096, 64).band_bytes();
  EXPECT_EQ(choose_bands(4096, 4096, 64, 2, 1000 * band).band_rows, 64);
  EXPECT_EQ(choose_bands(4096, 4096, 64, 2, 11 * band).band_rows, 64);
  EXPECT_EQ(choose_bands(4096, 4096, 64, 2, 5 * band).band_rows, 16);
  EXPECT_EQ(choose_bands(4096, 4096, 64, 2, 1).band_rows, 8);
  EXPECT_EQ(choose_bands(3, 4096, 64, 2, 1).band_rows, 3);
}

struct TierCase {
  const char* tiers;
  int workers;
  Index rows, cols, iterations;
};
std::ostream& operator<<(std::ostream& out, const TierCase& c) {
  return out << c.rows << "x" << c.cols << "x" << c.iterations << " on " << c.workers << " workers, " << c.tiers;
}

class SeismicInTiers : public ::testing::TestWithParam<TierCase> {};

void fill(BandGrid& grid, const Earth& earth, const Setup& setup) {
  grid.fill([&](Index y, const RowCells& row) {
    std::vector<double> velocity(static_cast<std::size_t>(setup.cols())), density(velocity.size());
    earth.row(y, velocity, density);
    setup.fill_ground(y, velocity, density, {row.material, row.damping, row.inverse_density});
  });
}

TEST_P(SeismicInTiers, AGridLargerThanFastMemoryHasTheSameBits) {
  const TierCase& c = GetParam();
  const auto earth = layered_earth(c.rows, c.cols);
  auto problem = Problem::create(*earth, 2).value();
  problem.make_source(c.iterations);
  Settings settings;
  settings.kernels = &best_kernels();
  settings.tiling = choose_tiling({5, 16, 64}, {}, c.rows, 2);
  start_serial(settings)->run(problem.fields(), problem.source(), 0, c.iterations);
  const auto wanted = Snapshot::take(problem, 2).value();
  problem.reset(2);

  settings.runtime.workers = c.workers;
  settings.runtime.tiers = c.tiers;
  Runtime runtime(settings.runtime);
  BandGrid grid(runtime, band_layout(c.rows, c.cols, 16));
  ASSERT_GT(grid.layout().total_bytes(), fast_bytes(runtime));
  seismic::Setup setup(*earth, 2);
  setup.make_source(c.iterations);
  fill(grid, *earth, setup);
  run_bands(runtime, grid, settings, setup.source(), 0, c.iterations);
  const Fields& f = problem.fields();
  grid.read([&](Index y, const double* velocity, const double* stress_x, const double* stress_y) {
    std::copy_n(velocity, f.cols, f.velocity + y * f.stride);
    std::copy_n(stress_x, f.cols, f.stress_x + y * f.stride);
    std::copy_n(stress_y, f.cols, f.stress_y + y * f.stride);
  });
  EXPECT_EQ(wanted.compare(problem, 2), std::nullopt);
  const TierStatistics statistics = runtime.tier_statistics();
  EXPECT_GT(statistics.bytes_fetched, 0u);
  EXPECT_LE(statistics.tiers.front().peak, statistics.tiers.front().budget);
}

INSTANTIATE_TEST_SUITE_P(Tiers, SeismicInTiers,
                         ::testing::Values(TierCase{"memory=2MiB,file=/tmp:32MiB", 1, 131, 197, 37},
                                           TierCase{"memory=2MiB,file=/tmp:32MiB", 2, 131, 197, 37},
                                           TierCase{"memory=3MiB,file=/tmp:32MiB", 8, 131, 197, 37},
                                           TierCase{"memory=2MiB,emulated=32MiB@0.5", 2, 131, 197, 37},
                                           TierCase{"memory=2MiB,emulated=32MiB@0.5", 8, 301, 71, 50}));

}  // namespace
}  // namespace weir::apps::seismic
