// SPDX-License-Identifier: Apache-2.0

#include "bench/tasks/task_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace weir::bench {
namespace {

using ::testing::TestWithParam;

constexpr int kWidths[] = {1, 2, 5, 7, 8, 12, 31};
constexpr Memory kMemories[] = {Memory::used_again, Memory::fresh};

void run_row(TaskGraph& graph, int step) {
  const Columns row = graph.columns(step);
  for (int column = row.first; column < row.end(); ++column) graph.execute(step, column);
}

void run_in_order(TaskGraph& graph, int from = 0) {
  for (int step = from; step < graph.steps(); ++step) run_row(graph, step);
}

class EveryPattern : public TestWithParam<int> {
 protected:
  Pattern pattern() const { return Pattern(GetParam()); }
};

TEST_P(EveryPattern, IsAcceptedWhenEachTaskRunsOnceAfterItsInputs) {
  for (const Memory memory : kMemories) {
    for (const int width : kWidths) {
      for (const int steps : {1, 4, 20}) {
        TaskGraph graph({pattern(), width, steps}, memory);
        graph.reset(1);
        run_in_order(graph);
        EXPECT_EQ(graph.verify(), "") << width << " x " << steps;
        graph.reset(2);
        run_in_order(graph);
        EXPECT_EQ(graph.verify(), "") << "a second run, " << width << " x " << steps;
      }
    }
  }
}

TEST_P(EveryPattern, ReadsTasksOfTheRowBeforeAndEachOnce) {
  for (const int width : kWidths) {
    for (const int steps : {3, 40}) {
      const Grid grid{pattern(), width, steps};
      for (int step = 1; step < steps; ++step) {
        const Columns row = columns_at(grid, step);
        for (int column = row.first; column < row.end(); ++column) {
          auto columns = inputs_of(grid, step, column);
          std::sort(columns.begin(), columns.end());
          EXPECT_EQ(std::unique(columns.begin(), columns.end()), columns.end());
          for (const int c : columns) EXPECT_TRUE(columns_at(grid, step - 1).contains(c)) << c;
        }
      }
    }
  }
}

TEST_P(EveryPattern, TellsTheInputsOfItsDefinitionInEveryRow) {
  for (const Memory memory : kMemories) {
    const Grid grid{pattern(), 7, 30};
    const TaskGraph graph(grid, memory);
    for (int step = 0; step < grid.steps; ++step) {
      const Columns row = columns_at(grid, step);
      for (int column = row.first; column < row.end(); ++column) {
        const auto told = graph.inputs(step, column);
        EXPECT_EQ(std::vector<std::int16_t>(told.begin(), told.end()), inputs_of(grid, step, column))
            << step << ", " << column;
      }
    }
  }
}

// The tasks that (step, column) comes after, as the runtimes are told: those of the row before and of the one above.
std::set<std::pair<int, int>> told_before(const TaskGraph& graph, int step, int column) {
  std::set<std::pair<int, int>> before;
  for (const int c : graph.inputs(step, column)) before.insert({step - 1, c});
  for (const auto& user : graph.users_before(step, column)) before.insert({step - user.back, user.column});
  const auto direct = before;
  for (const auto& [above, c] : direct) {
    if (above != step - 1) continue;
    for (const int input : graph.inputs(above, c)) before.insert({above - 1, input});
  }
  return before;
}

TEST_P(EveryPattern, NamesAllThatUseACellBeforeItIsOverwritten) {
  if (pattern() == Pattern::trivial) GTEST_SKIP() << "overwrites nothing";
  for (const int width : kWidths) {
    TaskGraph graph({pattern(), width, 30});
    for (int step = 2; step < graph.steps(); ++step) {
      const Columns row = graph.columns(step), above = graph.columns(step - 1);
      for (int column = row.first; column < row.end(); ++column) {
        ASSERT_EQ(&graph.cell(step, column), &graph.cell(step - 2, column));
        if (!graph.columns(step - 2).contains(column)) continue;
        const auto before = told_before(graph, step, column);
        EXPECT_TRUE(before.contains({step - 2, column}) ||
                    std::any_of(before.begin(), before.end(),
                                [&](const auto& task) {
                                  const auto inputs = graph.inputs(step - 1, task.second);
                                  return task.first == step - 1 &&
                                         std::find(inputs.begin(), inputs.end(), column) != inputs.end();
                                }))
            << "who wrote it: " << step << ", " << column;
        for (int reader = above.first; reader < above.end(); ++reader) {
          const auto inputs = graph.inputs(step - 1, reader);
          if (std::find(inputs.begin(), inputs.end(), column) == inputs.end()) continue;
          EXPECT_TRUE(before.contains({step - 1, reader})) << "who reads it: " << step << ", " << column;
        }
      }
    }
  }
}

TEST_P(EveryPattern, CatchesATaskThatRanTwice) {
  for (const Memory memory : kMemories) {
    TaskGraph graph({pattern(), 8, 10}, memory);
    graph.reset(1);
    run_in_order(graph);
    graph.execute(9, 7);
    EXPECT_EQ(graph.verify(), "task (step 9, column 7) ran twice");
  }
}

TEST_P(EveryPattern, CatchesATaskThatDidNotRun) {
  for (const Memory memory : kMemories) {
    TaskGraph graph({pattern(), 8, 10}, memory);
    graph.reset(1);
    for (int step = 0; step < 9; ++step) run_row(graph, step);
    for (int column = 0; column < 7; ++column) {
      if (graph.columns(9).contains(column)) graph.execute(9, column);
    }
    EXPECT_EQ(graph.verify(), "task (step 9, column 7) did not run");
  }
}

TEST_P(EveryPattern, CatchesATaskThatRanBeforeOneThatItReads) {
  if (pattern() == Pattern::trivial) GTEST_SKIP() << "reads nothing";
  for (const Memory memory : kMemories) {
    TaskGraph graph({pattern(), 8, 30}, memory);
    graph.reset(1);
    for (int step = 0; step < 15; ++step) run_row(graph, step);
    graph.execute(16, 4);  // the forgotten dependence: row 15 has not run
    for (int step = 15; step < 30; ++step) {
      const Columns row = graph.columns(step);
      for (int column = row.first; column < row.end(); ++column) {
        if (step != 16 || column != 4) graph.execute(step, column);
      }
    }
    EXPECT_NE(graph.verify().find("task (step 16, column 4) ran before"), std::string::npos) << graph.verify();
  }
}

TEST_P(EveryPattern, CatchesATaskThatOverwroteACellTooEarly) {
  if (pattern() == Pattern::trivial) GTEST_SKIP() << "overwrites nothing";
  TaskGraph graph({pattern(), 8, 30});
  graph.reset(1);
  for (int step = 0; step < 15; ++step) run_row(graph, step);
  const int reader = graph.columns(15).end() - 1;
  const int read = graph.inputs(15, reader).back();
  for (int column = 0; column < 8; ++column) {
    if (column != reader) graph.execute(15, column);
  }
  graph.execute(16, read);
  graph.execute(15, reader);
  run_row(graph, 16);
  run_in_order(graph, 17);
  EXPECT_NE(graph.verify(), "");
}

INSTANTIATE_TEST_SUITE_P(TaskGraph, EveryPattern, ::testing::Range(0, int(kPatternNames.size())),
                         [](const auto& test) { return std::string(kPatternNames[std::size_t(test.param)]); });

// Two threads that run the same task at the same time may both find its cell empty: the count tells.
TEST(TaskGraph, CountsEveryExecution) {
  TaskGraph graph({Pattern::trivial, 2, 2});
  graph.reset(1);
  run_in_order(graph);
  graph.cell(1, 1).step = -1;
  graph.execute(1, 1);
  EXPECT_EQ(graph.verify(), "5 tasks ran, not 4");
}

TEST(TaskGraph, WithFreshMemoryHasOtherCellsInEveryRunAndNoneTwice) {
  std::set<const Cell*> named;
  for (int round = 0; round < 3; ++round) {
    TaskGraph graph({Pattern::fft, 8, 100}, Memory::fresh);
    for (int run = 0; run < 3; ++run) {
      graph.reset(1);
      run_in_order(graph);
      EXPECT_EQ(graph.verify(), "");
      for (const Cell& cell : graph.cells()) EXPECT_TRUE(named.insert(&cell).second);
    }
  }
}

TEST(TaskGraph, WithMemoryUsedAgainHasTwoCellsAColumnInEveryRun) {
  TaskGraph graph({Pattern::fft, 8, 100});
  graph.reset(1);
  const Cell* const cells = graph.cells().data();
  EXPECT_EQ(graph.cells().size(), 16u);
  graph.reset(1);
  EXPECT_EQ(graph.cells().data(), cells);
}

TEST(TaskGraph, NumbersTasksRowByRowWithoutGaps) {
  for (const Pattern pattern : {Pattern::stencil_1d, Pattern::dom, Pattern::tree}) {
    const TaskGraph graph({pattern, 8, 30});
    std::int64_t next = 0;
    for (int step = 0; step < graph.steps(); ++step) {
      const Columns row = graph.columns(step);
      for (int column = row.first; column < row.end(); ++column) EXPECT_EQ(graph.number(step, column), next++);
    }
    EXPECT_EQ(graph.tasks(), next);
  }
}

TEST(TaskGraph, ForgetsFailuresOnReset) {
  TaskGraph graph({Pattern::stencil_1d, 4, 4});
  graph.reset(1);
  graph.execute(3, 0);
  EXPECT_NE(graph.verify(), "");
  graph.reset(1);
  run_in_order(graph);
  EXPECT_EQ(graph.verify(), "");
}

using Inputs = std::vector<std::int16_t>;

Inputs inputs_in(Pattern pattern, int width, int step, int column, int steps = 100) {
  return inputs_of({pattern, width, steps}, step, column);
}

TEST(Patterns, AreThoseOfTaskBench) {
  EXPECT_EQ(inputs_in(Pattern::trivial, 8, 3, 4), Inputs{});
  EXPECT_EQ(inputs_in(Pattern::stencil_1d, 8, 3, 4), (Inputs{3, 4, 5}));
  EXPECT_EQ(inputs_in(Pattern::stencil_1d, 8, 3, 0), (Inputs{0, 1}));
  EXPECT_EQ(inputs_in(Pattern::nearest, 8, 3, 4), (Inputs{2, 3, 4, 5, 6}));
  EXPECT_EQ(inputs_in(Pattern::fft, 8, 4, 4), (Inputs{3, 4, 5}));  // 3 levels; step 1 has the first of them
  EXPECT_EQ(inputs_in(Pattern::fft, 8, 5, 3), (Inputs{1, 3, 5}));
  EXPECT_EQ(inputs_in(Pattern::fft, 8, 6, 3), (Inputs{3, 7}));
  EXPECT_EQ(inputs_in(Pattern::spread, 10, 3, 4), (Inputs{4, 6, 8, 0, 2}));
  EXPECT_EQ(inputs_in(Pattern::spread, 10, 4, 4), (Inputs{4, 7, 9, 1, 3}));
  EXPECT_EQ(inputs_in(Pattern::all_to_all, 5, 3, 4), (Inputs{0, 1, 2, 3, 4}));
  EXPECT_EQ(inputs_in(Pattern::dom, 8, 50, 4), (Inputs{3, 4}));
  EXPECT_EQ(inputs_in(Pattern::dom, 8, 50, 0), (Inputs{0}));
  EXPECT_EQ(inputs_in(Pattern::dom, 8, 3, 3), (Inputs{2})) << "column 3 begins in this row";
  EXPECT_EQ(inputs_in(Pattern::tree, 8, 50, 5), (Inputs{2}));
  EXPECT_EQ(inputs_in(Pattern::tree, 8, 1, 1), (Inputs{0}));
}

TEST(Patterns, OfRandomNeighboursKeepTheColumnItself) {
  for (int step = 1; step < 7; ++step) {
    for (int column = 0; column < 8; ++column) {
      const Inputs inputs = inputs_in(Pattern::random_nearest, 8, step, column);
      EXPECT_NE(std::find(inputs.begin(), inputs.end(), column), inputs.end());
      for (const int c : inputs) EXPECT_LE(std::abs(c - column), 2);
    }
  }
}

TEST(Patterns, OfTreesAndTriangularSystemsHaveNarrowerRows) {
  const auto widths = [](Pattern pattern, int steps) {
    std::vector<std::pair<int, int>> rows;
    for (int step = 0; step < steps; ++step) {
      const Columns row = columns_at({pattern, 4, steps}, step);
      rows.push_back({row.first, row.count});
    }
    return rows;
  };
  using Rows = std::vector<std::pair<int, int>>;
  EXPECT_EQ(widths(Pattern::tree, 5), (Rows{{0, 1}, {0, 2}, {0, 4}, {0, 4}, {0, 4}}));
  EXPECT_EQ(widths(Pattern::dom, 8), (Rows{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 4}, {1, 3}, {2, 2}, {3, 1}}));
  EXPECT_EQ(widths(Pattern::stencil_1d, 2), (Rows{{0, 4}, {0, 4}}));
}

TEST(Patterns, HaveNoInputsInTheFirstRow) {
  for (std::size_t i = 0; i < kPatternNames.size(); ++i) EXPECT_TRUE(inputs_in(Pattern(i), 8, 0, 0).empty());
}

}  // namespace
}  // namespace weir::bench
