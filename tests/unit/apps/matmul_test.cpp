// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "apps/matmul/app.hpp"
#include "apps/matmul/order.hpp"
#include "apps/matmul/solver.hpp"

namespace weir::apps::matmul {
namespace {

// C by definition, row-major.
std::vector<double> product(Index n) {
  std::vector<double> c(static_cast<std::size_t>(n * n));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      for (Index k = 0; k < n; ++k) {
        c[static_cast<std::size_t>(i * n + j)] += entry(Matrix::a, i, k) * entry(Matrix::b, k, j);
      }
    }
  }
  return c;
}

std::string verdict_on(const Shape& shape, std::vector<double> c) {
  Checker checker(shape);
  for (Index i = 0; i < shape.tiles(); ++i) {
    for (Index j = 0; j < shape.tiles(); ++j) {
      checker.add(i, j,
                  {&c[static_cast<std::size_t>(i * shape.tile * shape.size + j * shape.tile)], shape.extent(i),
                   shape.extent(j), shape.size});
    }
  }
  return checker.verdict();
}

TEST(MatmulChecker, AcceptsTheProductAndNothingThatDiffersFromItInOneEntry) {
  const Shape shape{50, 16};  // with smaller tiles at the edges
  const auto right = product(shape.size);
  EXPECT_EQ(verdict_on(shape, right), "");
  for (std::size_t at = 0; at < right.size(); at += 7) {
    auto wrong = right;
    wrong[at] += 1;
    EXPECT_NE(verdict_on(shape, wrong), "") << "entry " << at;
  }
  auto swapped = right;
  std::swap(swapped[0], swapped[1]);
  EXPECT_NE(verdict_on(shape, swapped), "");
}

TEST(MatmulProblem, EntriesAreSmallIntegersOfEveryValue) {
  std::map<double, int> counts;
  for (Index i = 0; i < 64; ++i) {
    for (Index j = 0; j < 64; ++j) {
      ++counts[entry(Matrix::a, i, j)];
      ++counts[entry(Matrix::b, i, j)];
    }
  }
  EXPECT_EQ(counts.size(), 16u);
  EXPECT_EQ(counts.begin()->first, -8);
  EXPECT_EQ(counts.rbegin()->first, 7);
  for (const auto& [value, count] : counts) EXPECT_GT(count, 8192 / 16 / 2) << value;
}

TEST(MatmulProblem, ASizeIsChosenNearAGivenNumberOfBytesInWholeTiles) {
  for (const std::uint64_t bytes : {std::uint64_t{1} << 28, std::uint64_t{512} << 20, std::uint64_t{900} << 20}) {
    const Shape shape = shape_for(bytes, 12);
    EXPECT_EQ(shape.size, 12 * shape.tile);
    EXPECT_NEAR(static_cast<double>(shape.total_bytes()), static_cast<double>(bytes),
                0.04 * static_cast<double>(bytes));
  }
}

// Every product once; the first of each C is marked.
void expect_complete(Index tiles, const std::vector<Step>& steps) {
  std::vector<int> seen(static_cast<std::size_t>(tiles * tiles * tiles)),
      begun(static_cast<std::size_t>(tiles * tiles));
  for (const Step& step : steps) {
    const auto c = static_cast<std::size_t>(step.i * tiles + step.j);
    EXPECT_EQ(step.first, begun[c] == 0);
    begun[c] = 1;
    ++seen[c * static_cast<std::size_t>(tiles) + static_cast<std::size_t>(step.k)];
  }
  EXPECT_THAT(seen, testing::Each(1));
}

TEST(MatmulOrder, HasEveryProductOnceForEverySuperblock) {
  for (const Index tiles : {1, 2, 5}) {
    expect_complete(tiles, naive_order(tiles));
    for (Index rows = 1; rows <= tiles; ++rows) {
      for (Index cols = 1; cols <= tiles; ++cols) expect_complete(tiles, order_of(tiles, {rows, cols}));
    }
  }
}

TEST(MatmulOrder, ResidentMatricesAreOneSuperblockWithAllTasksOfAKSideBySide) {
  EXPECT_EQ(choose_superblock(12, 0, 8), (Superblock{12, 12}));
}

TEST(MatmulOrder, ASuperblockFitsBesideTheTilesThatComeByAndHasTasksForAllWorkers) {
  for (Index fast = 1; fast < 500; ++fast) {
    const Superblock s = choose_superblock(12, fast, 8);
    if (s == Superblock{}) continue;
    EXPECT_LE(s.rows * s.cols + 2 * (s.rows + s.cols), fast);
    EXPECT_GE(s.rows * s.cols, 8);
  }
}

TEST(MatmulOrder, MoreRoomNeverMeansMoreFetches) {
  Index before = std::numeric_limits<Index>::max();
  for (Index fast = 1; fast < 500; ++fast) {
    const Index now = fetches(12, fast, choose_superblock(12, fast, 8));
    EXPECT_LE(now, before) << fast;
    before = now;
  }
  EXPECT_EQ(before, 2 * 144);  // A and B once
}

TEST(MatmulOrder, InputsComeOnceInTheOrderOfTheirFirstUse) {
  const auto inputs = inputs_of(3, naive_order(3));
  ASSERT_EQ(inputs.size(), 18u);
  EXPECT_EQ(inputs[0].matrix, Matrix::a);
  EXPECT_EQ(inputs[1].matrix, Matrix::b);
  EXPECT_EQ(inputs.back().matrix, Matrix::a);
  EXPECT_EQ(inputs.back().i, 2);
  EXPECT_EQ(inputs.back().j, 2);
}

TEST(MatmulApp, TracesATaskForEachProductAfterThoseThatMakeTheData) {
  const auto app = make_app({48, 16});
  const AccessTrace trace = app->trace({});
  EXPECT_EQ(trace.block_bytes.size(), 27u);
  EXPECT_EQ(trace.first_measured, 18u);
  EXPECT_EQ(trace.task_ends.size(), 18u + 27u);
  EXPECT_EQ(trace.accesses.size(), 18u + 3u * 27u);
}

TEST(MatmulVariants, AllGiveTheProduct) {
  Settings settings;
  settings.shape = {200, 48};
  settings.threads = settings.runtime.workers = 2;
  EXPECT_EQ(run_serial(settings).wrong, "");
  for (const Order order : {Order::naive, Order::reuse}) {
    settings.order = order;
    settings.budget = order == Order::naive ? 0 : settings.shape.total_bytes() / 2;
    EXPECT_EQ(run_openmp(settings).wrong, "");
    EXPECT_EQ(run_weir(settings).wrong, "");
  }
  settings.folder = testing::TempDir();
  EXPECT_EQ(run_openmp(settings).wrong, "");
}

TEST(MatmulVariants, IslandsGiveTheProductWhateverTheirMemory) {
  Settings settings;
  settings.shape = {200, 48};  // smaller tiles at the edges, and lines that they do not fill
  settings.threads = settings.runtime.workers = 2;
  for (const IslandMemory memory : {IslandMemory::coherent, IslandMemory::checked}) {
    settings.runtime.island_memory = memory;
    EXPECT_EQ(run_island(settings).wrong, "");
  }
}

}  // namespace
}  // namespace weir::apps::matmul
