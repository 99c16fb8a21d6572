// SPDX-License-Identifier: Apache-2.0

#include "bench/tasks/task_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace weir::bench {
namespace {

using ::testing::TestWithParam;

std::vector<int> columns_of(Pattern pattern, int width, int step, int column) {
  const Inputs inputs = inputs_of(pattern, width, step, column);
  return {inputs.begin(), inputs.end()};
}

void run_row(TaskGraph& graph, int step) {
  for (int column = 0; column < graph.width(); ++column) graph.execute(step, column);
}

void run_in_order(TaskGraph& graph) {
  for (int step = 0; step < graph.steps(); ++step) run_row(graph, step);
}

class EveryPattern : public TestWithParam<int> {
 protected:
  Pattern pattern() const { return Pattern(GetParam()); }
};

TEST_P(EveryPattern, IsAcceptedWhenEachTaskRunsOnceAfterItsInputs) {
  for (const int width : {1, 2, 7, 8}) {
    TaskGraph graph({pattern(), width, 20});
    graph.reset(1);
    run_in_order(graph);
    EXPECT_EQ(graph.verify(), "") << width;
    graph.reset(2);
    run_in_order(graph);
    EXPECT_EQ(graph.verify(), "") << "a second run, " << width;
  }
}

TEST_P(EveryPattern, ReadsColumnsThatExistAndEachOnce) {
  for (const int width : {1, 2, 5, 8, 31}) {
    for (int step = 1; step < 12; ++step) {
      for (int column = 0; column < width; ++column) {
        auto columns = columns_of(pattern(), width, step, column);
        std::sort(columns.begin(), columns.end());
        EXPECT_EQ(std::unique(columns.begin(), columns.end()), columns.end());
        for (const int c : columns) EXPECT_TRUE(c >= 0 && c < width) << c;
      }
    }
  }
}

TEST_P(EveryPattern, CatchesATaskThatRanTwice) {
  TaskGraph graph({pattern(), 8, 10});
  graph.reset(1);
  run_in_order(graph);
  graph.execute(9, 3);
  EXPECT_EQ(graph.verify(), "task (step 9, column 3) ran twice");
}

TEST_P(EveryPattern, CatchesATaskThatDidNotRun) {
  TaskGraph graph({pattern(), 8, 10});
  graph.reset(1);
  for (int step = 0; step < 9; ++step) run_row(graph, step);
  for (int column = 1; column < 8; ++column) graph.execute(9, column);
  EXPECT_EQ(graph.verify(), "task (step 9, column 0) did not run");
}

TEST_P(EveryPattern, CatchesATaskThatRanBeforeOneThatItReads) {
  if (pattern() == Pattern::trivial) GTEST_SKIP() << "reads nothing";
  TaskGraph graph({pattern(), 8, 10});
  graph.reset(1);
  for (int step = 0; step < 5; ++step) run_row(graph, step);
  graph.execute(6, 4);  // the forgotten dependence: row 5 has not run
  for (int step = 5; step < 10; ++step) {
    for (int column = 0; column < 8; ++column) {
      if (step != 6 || column != 4) graph.execute(step, column);
    }
  }
  EXPECT_NE(graph.verify().find("task (step 6, column 4) ran before"), std::string::npos) << graph.verify();
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

TEST(TaskGraph, ForgetsFailuresOnReset) {
  TaskGraph graph({Pattern::stencil_1d, 4, 4});
  graph.reset(1);
  graph.execute(3, 0);
  EXPECT_NE(graph.verify(), "");
  graph.reset(1);
  run_in_order(graph);
  EXPECT_EQ(graph.verify(), "");
}

TEST(Patterns, AreThoseOfTaskBench) {
  using Columns = std::vector<int>;
  EXPECT_EQ(columns_of(Pattern::trivial, 8, 3, 4), Columns{});
  EXPECT_EQ(columns_of(Pattern::stencil_1d, 8, 3, 4), (Columns{3, 4, 5}));
  EXPECT_EQ(columns_of(Pattern::stencil_1d, 8, 3, 0), (Columns{0, 1}));
  EXPECT_EQ(columns_of(Pattern::nearest, 8, 3, 4), (Columns{2, 3, 4, 5, 6}));
  EXPECT_EQ(columns_of(Pattern::fft, 8, 3, 4), (Columns{3, 4, 5}));  // 3 levels: step 3 is level 0
  EXPECT_EQ(columns_of(Pattern::fft, 8, 5, 3), (Columns{3, 7}));     // level 2
  EXPECT_EQ(columns_of(Pattern::spread, 10, 3, 4), (Columns{4, 6, 8, 0, 2}));
  EXPECT_EQ(columns_of(Pattern::spread, 10, 4, 4), (Columns{4, 7, 9, 1, 3}));
}

TEST(Patterns, HaveNoInputsInTheFirstRow) {
  for (std::size_t i = 0; i < kPatternNames.size(); ++i) EXPECT_TRUE(columns_of(Pattern(i), 8, 0, 4).empty());
}

}  // namespace
}  // namespace weir::bench
