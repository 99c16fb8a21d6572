// SPDX-License-Identifier: Apache-2.0

// The order in which a worker runs what is ready: when other processes wait for its tasks, and when none do.
#include "runtime/serving.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "one_worker.hpp"
#include "weir/weir.hpp"

namespace weir::runtime {
namespace {

std::vector<int> order_of_five(Runtime& runtime) {
  std::vector<int> order;
  for (int i = 0; i < 5; ++i) runtime.spawn([&order, i] { order.push_back(i); });
  runtime.wait();
  return order;
}

TEST(Order, IsThatOfSpawningOutsideOfTasks) {
  Runtime runtime(one_worker());
  EXPECT_EQ(order_of_five(runtime), (std::vector{0, 1, 2, 3, 4}));
}

TEST(Order, IsTheNewestFirstInATaskThatWaits) {
  Runtime runtime(one_worker());
  std::vector<int> order;
  runtime.spawn([&] { order = order_of_five(runtime); });
  runtime.wait();
  EXPECT_EQ(order, (std::vector{4, 3, 2, 1, 0}));
}

// Else a program of trees would have the leaves of all of them in memory at once.
TEST(Order, WhatATaskHasMadeComesBeforeTheRest) {
  Runtime runtime(one_worker());
  std::vector<int> order;
  for (int i = 0; i < 3; ++i) {
    runtime.spawn([&order, i] {
      order.push_back(i);
      spawn([&order, i] { order.push_back(10 + i); });
    });
  }
  runtime.wait();
  EXPECT_EQ(order, (std::vector{0, 10, 1, 11, 2, 12}));
}

TEST(Order, IsKeptByAThreadThatHasSpawnedTooMany) {
  Options options = one_worker();
  options.throttle = 16;
  Runtime runtime(options);
  std::vector<int> order;
  for (int i = 0; i < 17; ++i) runtime.spawn([&order, i] { order.push_back(i); });
  ASSERT_FALSE(order.empty());  // by then
  std::vector<int> first(order.size());
  std::iota(first.begin(), first.end(), 0);
  EXPECT_EQ(order, first);
  runtime.wait();
}

TEST(Serving, TheOldestRunsFirstWhereOthersWait) {
  Runtime runtime(one_worker());
  serve_others(runtime);
  EXPECT_EQ(order_of_five(runtime), (std::vector{0, 1, 2, 3, 4}));
  EXPECT_EQ(order_of_five(runtime), (std::vector{0, 1, 2, 3, 4}));
}

TEST(Serving, WhatATaskMakesReadyLastStillRunsNext) {
  Runtime runtime(one_worker());
  serve_others(runtime);
  int value = 0;
  std::vector<int> order;
  runtime.spawn(out(value), [&] { order.push_back(0); });
  runtime.spawn([&] { order.push_back(2); });
  runtime.spawn(in(value), [&](const int&) { order.push_back(1); });
  runtime.wait();
  EXPECT_EQ(order, (std::vector{0, 1, 2}));
}

// Else each of them would wait on top of the one before it.
TEST(Serving, NoOlderTaskRunsOnTopOfOneThatWaitsForItsChildren) {
  Runtime runtime(one_worker());
  serve_others(runtime);
  int waiting = 0, most = 0;
  for (int i = 0; i < 20; ++i) {
    runtime.spawn([&] {
      spawn([] {});
      most = std::max(most, ++waiting);
      wait();
      --waiting;
    });
  }
  runtime.wait();
  EXPECT_EQ(most, 1);
}

TEST(Serving, SeveralWorkersRunEachTaskOnce) {
  Options options;
  options.workers = 3;
  Runtime runtime(options);
  serve_others(runtime);
  std::vector<int> runs(20000);
  for (int& each : runs) runtime.spawn([&each] { ++each; });
  runtime.wait();
  EXPECT_EQ(runs, std::vector<int>(runs.size(), 1));
}

}  // namespace
}  // namespace weir::runtime
