// SPDX-License-Identifier: Apache-2.0

#include "bench/report/rank_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "bench/ranks/graph_job.hpp"
#include "bench/ranks/graph_messages.hpp"
#include "bench/report/measure.hpp"

namespace weir::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

TEST(RankPlan, HasThePatternsThatMoveSomethingBetweenColumns) {
  const auto usual = chosen_rank_benches("", Extent::usual);
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->size(), 7u);
  EXPECT_EQ(usual->front().name, "metg_stencil_1d");
  const auto all = chosen_rank_benches("metg", Extent::usual);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 8u);
  EXPECT_THAT(chosen_rank_benches("chain", Extent::usual).status().message,
              HasSubstr("no benchmark over ranks 'chain'"));
  EXPECT_THAT(chosen_rank_benches("metg_trivial", Extent::full).status().message, HasSubstr("'metg_trivial'"));
}

TEST(RankPlan, CountsTheWorkersOfAllRanks) {
  EXPECT_THAT(*rank_workers("", 3), ElementsAre(3));
  EXPECT_THAT(*rank_workers("1,2", 2), ElementsAre(2, 4));
  EXPECT_THAT(rank_workers("none", 2).status().message, HasSubstr("--workers takes numbers"));
}

TEST(RankPlan, NamesWhatIsMissing) {
  const std::vector<Runner> found = {{"weir", "/w"}, {"ranks-shm", "/r", 2, {"/weir", "run"}}};
  const auto all = chosen_rank_runners("", found);
  ASSERT_TRUE(all);
  EXPECT_THAT(*all, ElementsAre(Field(&Runner::runtime, "weir"), Field(&Runner::runtime, "ranks-shm")));
  EXPECT_THAT(chosen_rank_runners("mpi-mpich", found).status().message, HasSubstr("mpi-mpich is not available"));
  EXPECT_THAT(chosen_rank_runners("tbb", found).status().message, HasSubstr("no runtime over ranks 'tbb'"));
  EXPECT_THAT(chosen_rank_runners("", {}).status().message, HasSubstr("build the target weir_bench"));
}

// The launcher comes first; a rank gets its share of the workers, and all processors are told behind the rest.
TEST(RankPlan, StartsAJobByItsLauncher) {
  std::string pattern = ::testing::TempDir() + "weir_rank_plan_XXXXXX";
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  const std::string launcher = folder / "launcher", said = folder / "said";
  std::ofstream(launcher) << "#!/bin/sh\nprintf '%s\\n' \"$*\" > " << said
                          << "\necho '{\"unit\":\"us\",\"points\":[[9,0.4]]}'\n";
  ::chmod(launcher.c_str(), 0755);
  const auto benches = chosen_rank_benches("metg_dom", Extent::usual);
  Measurement what{*benches, {{"mpi-mpich", "/program", 2, {launcher, "-n", "2"}, {"plain"}}}, {4}, 3, {}};
  what.amount.rounds = 1;
  const auto rows = measure(what, [](const Progress&) {});
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].error, "");
  EXPECT_EQ(rows[0].workers, 4);
  std::string line;
  std::getline(std::ifstream(said) >> std::ws, line);
  EXPECT_EQ(line, "-n 2 /program plain metg_dom 2 1000 3 8 3");
  std::filesystem::remove_all(folder);
}

TEST(GraphJob, GivesEachColumnToOneRankInRuns) {
  for (const int width : {1, 2, 7, 8, 12}) {
    for (const int ranks : {1, 2, 3, 5}) {
      int next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Columns own = columns_of(rank, width, ranks);
        EXPECT_EQ(own.first, next) << width << " columns, rank " << rank << " of " << ranks;
        for (int column = own.first; column < own.end(); ++column) EXPECT_EQ(owner_of(column, width, ranks), rank);
        next = own.end();
      }
      EXPECT_EQ(next, width);
    }
  }
}

TEST(GraphMessages, OfAStencilAreTheEdges) {
  const TaskGraph graph({Pattern::stencil_1d, 8, 3});
  const auto rows = messages_of(graph, 1, 2);
  ASSERT_EQ(rows.size(), 3u);
  ASSERT_EQ(rows[0].sent.size(), 1u);
  EXPECT_EQ(rows[0].sent[0].column, 4);
  EXPECT_EQ(rows[0].sent[0].rank, 0);
  ASSERT_EQ(rows[0].received.size(), 1u);
  EXPECT_EQ(rows[0].received[0].column, 3);
  EXPECT_TRUE(rows[2].sent.empty()) << "nothing reads the last row";
}

// What is sent, some rank receives, in every pattern.
TEST(GraphMessages, AreReceivedOnceByThoseTheyAreSentTo) {
  const int ranks = 3;
  for (std::size_t pattern = 1; pattern < kPatternNames.size(); ++pattern) {
    const TaskGraph graph({Pattern(pattern), 8, 20});
    std::vector<std::vector<RowMessages>> of;
    for (int rank = 0; rank < ranks; ++rank) of.push_back(messages_of(graph, rank, ranks));
    for (std::size_t step = 0; step < 20; ++step) {
      std::vector<std::pair<int, int>> sent, received;  // column and receiver
      for (int rank = 0; rank < ranks; ++rank) {
        for (const Message& each : of[std::size_t(rank)][step].sent) sent.emplace_back(each.column, each.rank);
        for (const Message& each : of[std::size_t(rank)][step].received) received.emplace_back(each.column, rank);
      }
      EXPECT_THAT(sent, ::testing::UnorderedElementsAreArray(received)) << kPatternNames[pattern] << ", row " << step;
    }
  }
}

// The columns of one rank, with the cells of the other as if they had been sent.
TEST(TaskGraph, OfSomeColumnsIsCheckedByItself) {
  TaskGraph graph({Pattern::stencil_1d, 4, 6});
  graph.reset(1);
  for (int step = 0; step < 6; ++step)
    for (int column = 0; column < 4; ++column) graph.execute(step, column);
  EXPECT_EQ(graph.verify(), "");
  EXPECT_EQ(graph.verify({0, 2}), "24 tasks ran, not 12");
  TaskGraph half({Pattern::stencil_1d, 4, 6});
  half.reset(1);
  for (int step = 0; step < 6; ++step) {
    half.execute(step, 0);
    half.execute(step, 1);
  }
  EXPECT_THAT(half.verify({0, 2}), HasSubstr("which it reads")) << "column 2 is the other rank's, and was not sent";
  EXPECT_THAT(half.verify(), HasSubstr("which it reads"));
}

TEST(TaskGraph, TakesCellsThatLieElsewhere) {
  TaskGraph graph({Pattern::stencil_1d, 3, 2});
  graph.reset(1);
  std::vector<Cell> cells(6);
  for (int column = 0; column < 3; ++column) graph.execute(0, column, {}, cells[std::size_t(column)]);
  for (int column = 0; column < 3; ++column) {
    std::vector<const Cell*> inputs;
    for (const int c : graph.inputs(1, column)) inputs.push_back(&cells[std::size_t(c)]);
    graph.execute(1, column, inputs, cells[std::size_t(3 + column)]);
  }
  EXPECT_THAT(graph.verify(), HasSubstr("did not run")) << "the cells are not where verify() looks for them";
  for (int step = 0; step < 2; ++step)
    for (int column = 0; column < 3; ++column) graph.cell(step, column) = cells[std::size_t(step * 3 + column)];
  EXPECT_EQ(graph.verify(), "");
  EXPECT_EQ(graph.verify({1, 2}), "6 tasks ran, not 4");
}

}  // namespace
}  // namespace weir::bench
