// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "bench/bddt/measure.hpp"
#include "bench/bddt/plan.hpp"
#include "bench/bddt/plot.hpp"
#include "bench/bddt/render.hpp"
#include "bench/bddt/thesis.hpp"

namespace weir::bench {
namespace {

std::vector<BddtRuntime> three_runtimes() { return {{"serial", "s", {}}, {"weir", "w", {}}, {"starpu", "", {}}}; }

BddtRequest request_for(const char* runtimes) { return {"", "", runtimes, "", 6, {}}; }

BddtRow row_of(const char* runtime, int workers, double seconds) {
  BddtRow row;
  row.program = "fft";
  row.size = "thesis";
  row.runtime = runtime;
  row.workers = workers;
  row.seconds = {seconds};
  return row;
}

const char* const kOutput =
    R"({"about": "x", "tasks": 7, "runs": [{"seconds": 9, "analysis": 0, "workers": []},
        {"seconds": 2, "analysis": 0.25, "workers": [{"application": 1.5, "flush": 0.5}, {"application": 1, "flush": 0}]},
        {"seconds": 4, "analysis": 1, "workers": []}], "wrong": ""})";

TEST(BddtPlan, ByDefaultAllProgramsAtTheThesissSizesWithWorkersUpToTheProcessors) {
  const auto plan = bddt_plan(request_for(""), three_runtimes());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->programs.size(), 5u);
  EXPECT_EQ(plan->sizes, std::vector<std::string>{"thesis"});
  EXPECT_EQ(plan->workers, (std::vector<int>{1, 2, 4, 6}));
}

TEST(BddtPlan, ARuntimeThatIsNotThereIsLeftOutAndRefusedWhenItIsNamed) {
  const auto plan = bddt_plan(request_for(""), three_runtimes());
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->left_out.size(), 1u);
  EXPECT_NE(bddt_plan_text(*plan).find("left out: starpu"), std::string::npos);
  EXPECT_EQ(bddt_plan(request_for("weir,starpu"), three_runtimes()).status().code, base::Code::not_found);
  EXPECT_EQ(bddt_plan(request_for("wier"), three_runtimes()).status().code, base::Code::bad_option);
}

TEST(BddtPlan, WithoutFftwItSaysWhatToInstall) {
  const auto plan = bddt_plan(request_for(""), {{"weir", "", {}}});
  EXPECT_NE(plan.status().message.find("libfftw3-dev"), std::string::npos);
}

TEST(BddtMeasure, TheFirstRunOfAProcessDoesNotCount) {
  BddtRow row;
  ASSERT_TRUE(add_bddt_times(row, kOutput));
  EXPECT_EQ(row.tasks, 7u);
  EXPECT_EQ(row.seconds, std::vector<double>{3});
}

TEST(BddtMeasure, PartsOfTheFastestRunAddUpToTheTimeOfAllProcessors) {
  BddtRow row;
  ASSERT_TRUE(add_bddt_parts(row, kOutput, true));
  EXPECT_EQ(row.parts.application, 2.5);
  EXPECT_EQ(row.parts.flush, 0.5);
  EXPECT_EQ(row.parts.analysis, 0.25);
  EXPECT_EQ(row.parts.sum(), 6);  // two workers and the master, two seconds
  ASSERT_EQ(row.balance.size(), 2u);
  EXPECT_EQ(row.balance[0].application, 0.75);
  EXPECT_EQ(row.balance[0].flush, 0.25);
}

TEST(BddtMeasure, WhatIsNoResultIsAnErrorThatQuotesIt) {
  BddtRow row;
  row.runtime = "weir";
  EXPECT_NE(add_bddt_times(row, "Segmentation fault").message.find("Segmentation fault"), std::string::npos);
}

TEST(BddtRender, WeirIsHeldAgainstTheBestOfTheOthersAndIslandsAgainstThreads) {
  const std::vector<BddtRow> rows = {row_of("weir", 2, 2),    row_of("island", 2, 2.2), row_of("island-flush", 2, 3.3),
                                     row_of("libgomp", 2, 4), row_of("libomp", 2, 2.5), row_of("libomp", 1, 1)};
  const BddtReached reached = bddt_reached(rows, "fft", "thesis", 2);
  EXPECT_DOUBLE_EQ(reached.over_best.value(), 0.8);
  EXPECT_EQ(reached.best, "libomp");
  EXPECT_DOUBLE_EQ(reached.gomp_over_weir.value(), 2);
  EXPECT_DOUBLE_EQ(reached.over_threads.value(), 1.1);
  EXPECT_DOUBLE_EQ(reached.flush_over_coherent.value(), 1.5);
  EXPECT_FALSE(bddt_reached(rows, "fft", "quarter", 2).over_best.has_value());
}

TEST(BddtRender, ATableHasTheThesissNumbersAndNamesWhatFailed) {
  BddtPlan plan;
  plan.programs = {"fft"};
  plan.sizes = {"thesis"};
  plan.workers = {1};
  std::vector<BddtRow> rows = {row_of("serial", 1, 6), row_of("weir", 1, 3), row_of("starpu", 1, 1)};
  rows[2].error = "broken";
  compare_with_serial(rows);
  const std::string text = bddt_tables(plan, rows);
  EXPECT_NE(text.find("fastest from 16 workers on"), std::string::npos);
  EXPECT_NE(text.find("2.00x"), std::string::npos);
  EXPECT_NE(text.find("failed: fft (thesis), starpu, 1 workers: broken"), std::string::npos);
}

TEST(BddtPlot, EachProgramHasThreePanels) {
  BddtPlan plan;
  plan.programs = {"fft"};
  plan.sizes = {"thesis"};
  plan.workers = {1};
  plan.runtimes = {{"weir", "w", {}}};
  BddtRow measured = row_of("weir", 1, 3);
  measured.balance = {{0.5, 0.25}};
  const std::string script = bddt_plot(plan, {measured}).script;
  const auto has = [&](const char* text) { return script.find(text) != std::string::npos; };
  EXPECT_TRUE(has("plot for [i=2:2] $times_fft_thesis"));
  EXPECT_TRUE(has("plot for [i=2:5] $parts_fft_thesis"));
  EXPECT_TRUE(has("plot for [i=2:4] $balance_fft_thesis"));
}

TEST(BddtPlot, WithoutWeirThereAreTheTimesAloneOfWhatHasAValueInEachSize) {
  BddtPlan plan;
  plan.programs = {"fft"};
  plan.sizes = {"thesis", "small"};
  plan.workers = {1};
  plan.runtimes = {{"serial", "s", {}}, {"libgomp", "g", {}}};
  std::vector<BddtRow> rows = {row_of("serial", 1, 3), row_of("libgomp", 1, 4), row_of("serial", 1, 1)};
  rows[1].error = "broken";
  rows[2].size = "small";
  const std::string script = bddt_plot(plan, rows).script;
  EXPECT_NE(script.find("set multiplot layout 2,1"), std::string::npos);
  EXPECT_NE(script.find("row \"serial\"\n\"1\" 3\nEOD"), std::string::npos);
  EXPECT_NE(script.find("'fft, small: time'"), std::string::npos);
  EXPECT_EQ(script.find("$parts"), std::string::npos);
  EXPECT_EQ(bddt_plot(plan, {rows[1]}).script, "");
}

}  // namespace
}  // namespace weir::bench
