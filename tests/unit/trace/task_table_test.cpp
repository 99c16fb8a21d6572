// SPDX-License-Identifier: Apache-2.0

#include "task_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace weir::tool::convert {
namespace {

using Run = TaskTable::Run;

struct Edges {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> list;  // numbers
  auto add() {
    return [this](const Run& before, const Run& after) {
      EXPECT_LE(before.end_ns, after.start_ns);
      list.emplace_back(before.number, after.number);
    };
  }
};

TEST(TaskTable, NumbersTasksFromOneInTheOrderInWhichTheyAreAskedFor) {
  TaskTable table;
  EXPECT_EQ(table.number(77), 1u);
  EXPECT_EQ(table.number(5), 2u);
  EXPECT_EQ(table.number(77), 1u);
}

// What tasks are known by: a place in memory, and above it how often it was used.
TEST(TaskTable, KeepsUsesOfOnePlaceApartWhileItGrows) {
  TaskTable table;
  std::uint32_t expected = 0;
  for (std::uint64_t use = 1; use <= 500; ++use) {
    for (std::uint64_t place = 0; place < 40; ++place) EXPECT_EQ(table.number((1000 + place) | use << 41), ++expected);
  }
  expected = 0;
  for (std::uint64_t use = 1; use <= 500; ++use) {
    for (std::uint64_t place = 0; place < 40; ++place) EXPECT_EQ(table.number((1000 + place) | use << 41), ++expected);
  }
}

TEST(TaskTable, TellsAnEdgeOnceWhenBothEndsHaveRunInWhateverOrderThatIsHeard) {
  enum Told { kEdge, kBefore, kAfter };
  std::vector<Told> order = {kEdge, kBefore, kAfter};
  do {
    TaskTable table;
    Edges edges;
    for (const Told told : order) {
      EXPECT_TRUE(edges.list.empty());
      if (told == kEdge) table.edge(10, 20, edges.add());
      if (told == kBefore) table.ran(10, 0, 100, 200, edges.add());
      if (told == kAfter) table.ran(20, 1, 300, 400, edges.add());
    }
    const std::pair expected(table.number(10), table.number(20));
    EXPECT_EQ(edges.list, std::vector{expected});
  } while (std::next_permutation(order.begin(), order.end()));
}

// A long run: a window of unfinished tasks, each after some of those before it.
TEST(TaskTable, FindsEveryEdgeOfALongRunWithMemoryForItsUnfinishedTasksOnly) {
  constexpr std::uint64_t kTasks = 400'000, kWindow = 100;
  std::mt19937 random(7);
  TaskTable table;
  Edges edges;
  std::size_t made = 0, most = 0;
  for (std::uint64_t task = 1; task <= kTasks; ++task) {
    for (std::uint64_t i = random() % 4; i > 0; --i) {
      const std::uint64_t before = task - 1 - random() % (2 * kWindow);
      if (before >= task || before == 0) continue;
      table.edge(before, task, edges.add());
      ++made;
    }
    if (task > kWindow) table.ran(task - kWindow, 0, 2 * task, 2 * task + 1, edges.add());
    if (task % 1000 == 0) table.next_pass();
    most = std::max(most, table.size());
  }
  for (std::uint64_t task = kTasks - kWindow + 1; task <= kTasks; ++task) {
    table.ran(task, 0, 2 * (task + kWindow), 2 * (task + kWindow) + 1, edges.add());
  }
  EXPECT_EQ(edges.list.size(), made);
  EXPECT_LT(most, 70'000u);
}

TEST(TaskTable, ForgetsNoneWhereAllAreToBeKept) {
  constexpr std::uint64_t kTasks = 100'000;
  for (const auto keeps : {TaskTable::Keeps::recent, TaskTable::Keeps::all}) {
    TaskTable table(keeps);
    for (std::uint64_t task = 1; task <= kTasks; ++task) {
      table.ran(task, 0, task, task, [](const auto&, const auto&) {});
      if (task % 1000 == 0) table.next_pass();
    }
    EXPECT_EQ(table.number(kTasks), kTasks);
    EXPECT_EQ(table.number(1), keeps == TaskTable::Keeps::all ? 1 : kTasks + 1);
    EXPECT_EQ(table.is_yet_to_run(1), keeps == TaskTable::Keeps::recent);
  }
}

}  // namespace
}  // namespace weir::tool::convert
