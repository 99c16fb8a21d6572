// SPDX-License-Identifier: Apache-2.0

#include "sim/bound.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "apps/matmul/app.hpp"
#include "apps/matmul/order.hpp"
#include "apps/stencil3d/app.hpp"

namespace weir::sim {
namespace {

using apps::AccessTrace;
using apps::TracedAccess;

// Tasks that each touch what is listed; blocks have one byte.
AccessTrace trace_of(std::uint32_t blocks, const std::vector<std::vector<TracedAccess>>& tasks) {
  AccessTrace trace;
  trace.block_bytes.assign(blocks, 1);
  for (const auto& task : tasks) {
    trace.accesses.insert(trace.accesses.end(), task.begin(), task.end());
    trace.end_task();
  }
  return trace;
}

TracedAccess read(std::uint32_t block) { return {block, true, false}; }
TracedAccess update(std::uint32_t block) { return {block, true, true}; }
TracedAccess make(std::uint32_t block) { return {block, false, true}; }

TEST(LeastMovement, IsEachBlockOnceWhenAllFit) {
  const auto trace = trace_of(3, {{read(0)}, {update(1)}, {read(2)}, {read(0)}, {read(1)}});
  const Movement m = least_movement(trace, 3);
  EXPECT_EQ(m.fetched, 3u);
  EXPECT_EQ(m.written_back, 0u) << "what is still in the fast tier at the end need not be written";
}

TEST(LeastMovement, EvictsTheBlockNeededLast) {
  // Belady's own example: with room for 3, the string 1 2 3 4 1 2 5 1 2 3 4 5 has 7 faults.
  std::vector<std::vector<TracedAccess>> tasks;
  for (const std::uint32_t block : {1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5}) tasks.push_back({read(block)});
  EXPECT_EQ(least_movement(trace_of(6, tasks), 3).fetched, 7u);
}

TEST(LeastMovement, WhatIsOnlyWrittenIsNotFetchedButWrittenBack) {
  const Movement m = least_movement(trace_of(3, {{make(0)}, {make(1)}, {make(2)}}), 1);
  EXPECT_EQ(m.fetched, 0u);
  EXPECT_EQ(m.written_back, 2u);
}

TEST(LeastMovement, ACleanBlockLeavesBeforeAChangedOneThatIsNeededAsLate) {
  const Movement m = least_movement(trace_of(3, {{update(0)}, {read(1)}, {read(2)}}), 2);
  EXPECT_EQ(m.fetched, 3u);
  EXPECT_EQ(m.written_back, 0u);
}

TEST(LeastMovement, ABlockThatIsWrittenBackAndFetchedAgainIsClean) {
  const Movement m = least_movement(trace_of(2, {{update(0)}, {read(1)}, {read(0)}, {read(1)}}), 1);
  EXPECT_EQ(m.fetched, 4u);
  EXPECT_EQ(m.written_back, 1u);
}

TEST(LeastMovement, CountsFromTheFirstMeasuredTaskOn) {
  AccessTrace trace = trace_of(2, {{make(0)}, {make(1)}, {read(0)}, {read(1)}});
  trace.first_measured = 2;
  const Movement m = least_movement(trace, 1);
  EXPECT_EQ(m.fetched, 2u);
  EXPECT_EQ(m.written_back, 1u);  // of block 1; block 0 was written back before
}

TEST(LeastMovement, ATaskMayNameABlockTwice) {
  const Movement m = least_movement(trace_of(2, {{read(0), read(0)}, {read(1), update(1)}, {read(0)}}), 1);
  EXPECT_EQ(m.fetched, 3u);
  EXPECT_EQ(m.written_back, 1u);
}

TEST(LeastMovement, OrdersMadeForReuseMoveSeveralTimesLess) {
  const auto of = [](const apps::TierApp& app, double ratio, apps::Order order) {
    apps::TierSettings settings;
    settings.budget = static_cast<std::uint64_t>(static_cast<double>(app.total_bytes()) / ratio);
    settings.order = order;
    const Movement m = least_movement(app.trace(settings), settings.budget);
    return m.fetched + m.written_back;
  };
  const auto stencil = apps::stencil3d::make_app({{6, 6, 16}, 64, 20, 20});
  EXPECT_LT(3 * of(*stencil, 2, apps::Order::reuse), of(*stencil, 2, apps::Order::naive));
  EXPECT_LT(2 * of(*stencil, 3.4, apps::Order::reuse), of(*stencil, 3.4, apps::Order::naive));
  const auto product = apps::matmul::make_app({16 * 512, 512});
  EXPECT_LT(3 * of(*product, 4, apps::Order::reuse), 2 * of(*product, 4, apps::Order::naive));
  EXPECT_LT(5 * of(*product, 10, apps::Order::reuse), 2 * of(*product, 10, apps::Order::naive));
}

TEST(LeastMovement, OfTheProductIsCloseToTheFetchesThatTheSuperblockWasChosenBy) {
  const apps::matmul::Shape shape{12 * 512, 512};
  const auto app = apps::matmul::make_app(shape);
  apps::TierSettings settings;
  settings.budget = static_cast<std::uint64_t>(static_cast<double>(app->total_bytes()) / 3.4);
  const auto fast = static_cast<apps::matmul::Index>(settings.budget / shape.tile_bytes());
  const auto counted = apps::matmul::fetches(12, fast, apps::matmul::choose_superblock(12, fast, 4));
  const double fetched = static_cast<double>(least_movement(app->trace(settings), settings.budget).fetched) /
                         static_cast<double>(shape.tile_bytes());
  // The formula begins with nothing in the fast tier, and keeps room for what is fetched ahead.
  EXPECT_LT(fetched, static_cast<double>(counted));
  EXPECT_GT(fetched, 0.6 * static_cast<double>(counted));
}

TEST(BoundSeconds, IsTheLongestOfComputingReadingWritingAndBothTogether) {
  const SlowBandwidth slow{100, 50, 120};
  EXPECT_DOUBLE_EQ(bound_seconds(10, {100, 100}, slow), 10);
  EXPECT_DOUBLE_EQ(bound_seconds(1, {1000, 0}, slow), 10);
  EXPECT_DOUBLE_EQ(bound_seconds(1, {0, 1000}, slow), 20);
  EXPECT_DOUBLE_EQ(bound_seconds(1, {900, 300}, slow), 10);
}

}  // namespace
}  // namespace weir::sim
