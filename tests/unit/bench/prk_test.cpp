// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "bench/prk/contender.hpp"
#include "bench/prk/measure.hpp"
#include "bench/prk/plan.hpp"
#include "bench/prk/render.hpp"

namespace weir::bench {
namespace {

using machine::Machine;

const Machine& two_nodes() {
  static const Machine m = Machine::from_description("numa:2(memory=4GB) core:2 pu:1").value();
  return m;
}

std::vector<PrkContender> all_found() {
  std::vector<PrkContender> found = prk_contenders();
  for (PrkContender& contender : found) contender.path = "/somewhere/weir-prk-" + contender.runtime;
  return found;
}

PrkRow row(const std::string& runtime, const std::string& way, std::vector<double> samples) {
  PrkRow made;
  made.bench = "nstream", made.stores = "temporal", made.unit = "GB/s", made.workers = 2;
  made.contender = {runtime, way, ""};
  made.samples = std::move(samples);
  return made;
}

TEST(Prk, StencilIsBothOfItsTilesAndKernelsThatReadBackHaveNoNonTemporalRows) {
  PrkRequest request;
  request.kernels = "stencil,p2p";
  request.runtimes = "weir,serial";
  const auto plan = plan_prk(request, two_nodes(), all_found());
  ASSERT_TRUE(plan) << plan.status().message;
  ASSERT_EQ(plan->benches.size(), 3u);
  // Two tiles with two kinds of store and one kernel with one, each in seven ways.
  EXPECT_EQ(prk_rows(*plan).size(), 35u);
}

TEST(Prk, EachMemoryNodeIsMeasuredWhenAllAreAskedFor) {
  PrkRequest request;
  request.memory = "all";
  const auto plan = plan_prk(request, two_nodes(), all_found());
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->memories.size(), 2u);
  EXPECT_EQ(plan->memories[1].name, "ddr1");
  EXPECT_EQ(plan->memories[1].os_node, 1);
}

TEST(Prk, WhatIsNotThereIsNamed) {
  PrkRequest request;
  request.kernels = "nstraem";
  EXPECT_NE(plan_prk(request, two_nodes(), all_found()).status().message.find("did you mean nstream"),
            std::string::npos);
  request.kernels = "";
  request.runtimes = "libomp";
  const auto plan = plan_prk(request, two_nodes(), {{"weir", "tasks", "/x"}});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().code, base::Code::not_found);
}

TEST(Prk, KernelsWithoutNonTemporalStoresAloneAreRefused) {
  PrkRequest request;
  request.kernels = "dgemm,p2p";
  request.stores = "non-temporal";
  const auto plan = plan_prk(request, two_nodes(), all_found());
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.status().message.find("--kernels dgemm,p2p --stores non-temporal: nothing to measure"),
            std::string::npos);
  request.kernels = "dgemm,nstream";
  EXPECT_TRUE(plan_prk(request, two_nodes(), all_found()));
}

TEST(Prk, WeirIsComparedWithTheBestOtherRoundByRound) {
  std::vector<PrkRow> rows = {row("weir", "tasks", {10, 20, 30}), row("libgomp", "loops", {5, 5, 5}),
                              row("tbb", "auto", {10, 10, 40})};
  compare_prk(rows);
  EXPECT_DOUBLE_EQ(rows[0].over_best_other, 1.0);  // of 1, 2 and 0.75
  EXPECT_EQ(best_other(rows, rows[0]), &rows[2]);
}

TEST(Prk, WaysWithoutABarrierBetweenIterationsAreComparedWithEachOtherOnly) {
  std::vector<PrkRow> rows = {row("weir", "tasks", {10}), row("weir", "flow", {40}), row("libgomp", "flow", {20}),
                              row("libgomp", "loops", {10})};
  compare_prk(rows);
  EXPECT_DOUBLE_EQ(rows[0].over_best_other, 1.0);
  EXPECT_DOUBLE_EQ(rows[1].over_best_other, 2.0);
  EXPECT_EQ(
      prk_verdict(rows),
      "nstream, temporal stores, 2 workers: weir tasks is 1.00 of libgomp loops; its tasks 1.00 of the best plain "
      "loop (libgomp)\n");
}

TEST(Prk, ARowThatFailedIsToldAndHasNoValue) {
  std::vector<PrkRow> rows = {row("weir", "tasks", {10}), row("tbb", "auto", {})};
  rows[1].error = "the result is wrong";
  compare_prk(rows);
  EXPECT_EQ(rows[0].over_best_other, 0);
  EXPECT_NE(prk_table(rows).find("failed: nstream, temporal stores, 2 workers, tbb auto: the result is wrong"),
            std::string::npos);
}

TEST(Prk, ThePlotHasABarForEachWay) {
  const std::vector<PrkRow> rows = {row("weir", "tasks", {10}), row("tbb", "auto", {12})};
  const std::string script = prk_plot(rows).script;
  EXPECT_NE(script.find("row \"temporal\"\n\"weir tasks\" 10\n\"tbb auto\" 12\n"), std::string::npos);
}

TEST(Prk, ThePlotOfABenchHasOnlyTheStoresThatItWasMeasuredWith) {
  std::vector<PrkRow> rows = {row("weir", "tasks", {10}), row("weir", "tasks", {11}), row("weir", "tasks", {12})};
  rows[1].bench = "dgemm";
  rows[2].stores = "non-temporal";
  const std::string script = prk_plot(rows).script;
  EXPECT_NE(script.find("row \"temporal\" \"non-temporal\"\n\"weir tasks\" 10 12\n"), std::string::npos);
  EXPECT_NE(script.find("row \"temporal\"\n\"weir tasks\" 11\n"), std::string::npos);
}

TEST(Prk, ThePlotHasAPanelForEachNumberOfWorkersWithTheSerialCodeInEach) {
  std::vector<PrkRow> rows = {row("serial", "loops", {5}), row("weir", "tasks", {6}), row("weir", "tasks", {9})};
  rows[0].workers = rows[1].workers = 1;
  const std::string script = prk_plot(rows).script;
  EXPECT_NE(script.find("nstream, 1 worker'"), std::string::npos);
  EXPECT_NE(script.find("\"serial loops\" 5\n\"weir tasks\" 6\n"), std::string::npos);
  EXPECT_NE(script.find("nstream, 2 workers'"), std::string::npos);
  EXPECT_NE(script.find("\"serial loops\" 5\n\"weir tasks\" 9\n"), std::string::npos);
}

std::unique_ptr<prk::Kernel> kernel(const prk::Shape& shape, std::vector<std::byte>& memory) {
  memory.resize(prk::bytes_of(shape) + 128);
  void* start = memory.data();
  std::size_t room = memory.size();
  std::align(128, prk::bytes_of(shape), start, room);
  return prk::make_kernel(shape, {static_cast<std::byte*>(start), prk::bytes_of(shape)});
}

TEST(PrkKernels, ATileThatIsLeftOutIsAWrongResult) {
  for (const char* name : {"nstream", "stencil", "transpose", "p2p", "dgemm"}) {
    std::vector<std::byte> memory;
    const auto made = kernel({name, std::string(name) == "nstream" ? 20'000 : 64, 16, false}, memory);
    const prk::Grid grid = made->grid(0);
    for (int r = 0; r < grid.rows; ++r)
      for (int c = 0; c < grid.columns; ++c) made->initialise(r, c);
    for (int phase = 0; phase < made->phases(); ++phase)
      for (int r = 0; r < grid.rows; ++r)
        for (int c = 0; c < grid.columns; ++c)
          if (phase > 0 || r + c > 0 || grid.wavefront) made->run({phase, r, c});
    const bool all = grid.wavefront;  // its verification is of the last corner, which every tile leads to
    EXPECT_EQ(made->wrong_after(1).empty(), all) << name;
    if (all) {
      EXPECT_NE(made->wrong_after(2), "");
    }
  }
}

TEST(PrkKernels, TasksAreMadeOnceForEachTileAndTheNextPhaseBehindThisOne) {
  std::vector<std::byte> memory;
  const auto made = kernel({"stencil", 64, 16, false}, memory);
  std::vector<std::pair<int, int>> order;  // phase and row of each first column
  int tiles = 0;
  prk::each_task(*made, 1, [&](prk::Tile tile) {
    ++tiles;
    if (tile.column == 0) order.emplace_back(tile.phase, tile.row);
  });
  EXPECT_EQ(tiles, 32);
  EXPECT_EQ(order, (std::vector<std::pair<int, int>>{{0, 0}, {0, 1}, {1, 0}, {0, 2}, {1, 1}, {0, 3}, {1, 2}, {1, 3}}));
}

TEST(PrkKernels, AGroupIsSomeTilesOfARowAndItsLastOneIsShort) {
  std::vector<std::byte> memory;
  const auto made = kernel({"stencil", 64, 16, false}, memory);
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) made->initialise(r, c);
  std::vector<std::pair<int, int>> groups;  // row and first column, of phase 0
  for (int phase = 0; phase < made->phases(); ++phase)
    prk::each_task(*made, 3, [&](prk::Tile first) {
      if (first.phase != phase) return;
      if (phase == 0) groups.emplace_back(first.row, first.column);
      prk::run_group(*made, first, 3);
    });
  EXPECT_EQ(groups.size(), 8u);
  EXPECT_EQ(groups[0], std::pair(0, 0));
  EXPECT_EQ(groups[1], std::pair(0, 3));
  EXPECT_EQ(made->wrong_after(1), "") << "each tile of both phases has run once";
}

TEST(PrkKernels, AGroupReadsWhatTheGroupsNextToItWrite) {
  std::vector<std::byte> memory;
  const auto made = kernel({"stencil", 64, 8, false}, memory);  // 8 x 8 tiles
  const auto written = [&](int row, int column) { return made->touched({1, row, column}, 3).written[0]; };
  const prk::Touched t = made->touched({0, 1, 3}, 3);
  EXPECT_EQ(
      std::vector<const prk::Token*>(t.read, t.read + t.reads),
      (std::vector<const prk::Token*>{written(1, 3), written(0, 3), written(2, 3), written(1, 0), written(1, 6)}));
  EXPECT_EQ(made->touched({0, 1, 6}, 3).reads, 4) << "no group is to the right of the last";
}

TEST(PrkKernels, TheLastGroupOfAWavefrontWritesWhatTheFirstReads) {
  std::vector<std::byte> memory;
  const auto made = kernel({"p2p", 64, 8, false}, memory);
  const prk::Touched last = made->touched({0, 7, 6}, 3), before = made->touched({0, 7, 3}, 3);
  ASSERT_EQ(last.writes, 2);
  EXPECT_EQ(last.written[1], made->touched({0, 0, 0}, 3).written[0]);
  EXPECT_EQ(last.read[1], before.written[0]);
  EXPECT_EQ(before.writes, 1);
}

TEST(PrkKernels, ADiagonalHasTheTilesOfTheGridAndNoOthers) {
  const prk::Grid grid{3, 2, true};
  int tiles = 0;
  for (int d = 0; d < prk::diagonals_of(grid); ++d) {
    const prk::Diagonal diagonal = prk::diagonal_of(grid, d);
    for (int r = diagonal.first; r <= diagonal.last; ++r, ++tiles) {
      EXPECT_LT(r, grid.rows);
      EXPECT_GE(d - r, 0);
      EXPECT_LT(d - r, grid.columns);
    }
  }
  EXPECT_EQ(tiles, 6);
}

TEST(PrkKernels, NonTemporalStoresAreRefusedWhereResultsAreReadAgainAtOnce) {
  std::vector<std::byte> memory;
  EXPECT_THROW(kernel({"p2p", 64, 16, true}, memory), std::runtime_error);
  EXPECT_THROW(kernel({"stencil", 65, 16, true}, memory), std::runtime_error);
  EXPECT_THROW(kernel({"none", 64, 16, false}, memory), std::runtime_error);
}

}  // namespace
}  // namespace weir::bench
