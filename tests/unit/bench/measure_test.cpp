// SPDX-License-Identifier: Apache-2.0

#include "bench/report/measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "bench/report/render.hpp"

namespace weir::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A shell script in a temporary folder that stands for a runner.
class FakeRunners : public ::testing::Test {
 protected:
  FakeRunners() {
    std::string pattern = ::testing::TempDir() + "weir_bench_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~FakeRunners() override { std::filesystem::remove_all(folder_); }

  Runner runner(const std::string& runtime, const std::string& script) {
    const auto path = folder_ / ("weir-bench-" + runtime);
    std::ofstream(path) << "#!/bin/sh\n" << script << "\n";
    ::chmod(path.c_str(), 0755);
    return {runtime, path.string()};
  }

  std::vector<Row> measure_chain(const std::vector<Runner>& runners, int rounds, double timeout_s = 60) {
    const auto benches = chosen_benches("chain");
    Amount amount;
    amount.rounds = rounds;
    amount.timeout_s = timeout_s;
    return measure(*benches, runners, std::vector<int>{2}, amount,
                   [this](const std::string& next) { log_.push_back(next); });
  }

  std::filesystem::path folder_;
  std::vector<std::string> log_;
};

TEST(AddOutput, TakesTheMedianOfTheRunsInAProcess) {
  Row row;
  ASSERT_TRUE(add_output(row, R"({"unit":"ns","cold":90,"wall":[5,1,3],"cpu":[6,2,4],"line":[70,50,60]})"));
  EXPECT_THAT(row.samples, ElementsAre(3));
  EXPECT_THAT(row.cpu_samples, ElementsAre(4));
  EXPECT_THAT(row.cold_samples, ElementsAre(90));
  EXPECT_THAT(row.line_samples, ElementsAre(60));
}

TEST(AddOutput, TurnsASweepIntoMicrosecondsOfMetg) {
  Row row;
  ASSERT_TRUE(add_output(row, R"({"unit":"us","points":[[4000,0.75],[1000,0.25]]})"));
  EXPECT_EQ(row.unit, "us");
  ASSERT_EQ(row.samples.size(), 1U);
  EXPECT_NEAR(row.samples[0], 2, 1e-9);
}

TEST(AddOutput, RefusesWhatIsNoResult) {
  Row row;
  row.runtime = "tbb";
  for (const char* bad :
       {"", "Segmentation fault", "{}", R"({"unit":"ns","wall":"3"})", R"({"unit":"us","points":[[1]]})"}) {
    const auto status = add_output(row, bad);
    EXPECT_FALSE(status) << bad;
    EXPECT_THAT(status.message, HasSubstr("weir-bench-tbb printed no result"));
  }
}

TEST(CompareWithWeir, DividesByTheMedianOfWeirWithAsManyWorkers) {
  std::vector<Row> rows(3);
  rows[0].runtime = "weir";
  rows[0].samples = {10, 20, 30};
  rows[1].runtime = rows[2].runtime = "tbb";
  rows[1].samples = {50};
  rows[2].samples = {50};
  rows[2].workers = 2;
  compare_with_weir(rows);
  EXPECT_DOUBLE_EQ(rows[0].ratio, 1);
  EXPECT_DOUBLE_EQ(rows[1].ratio, 2.5);
  EXPECT_DOUBLE_EQ(rows[2].ratio, 0);
}

TEST(CompareWithWeir, GivesNoRatioToABound) {
  std::vector<Row> rows(2);
  rows[0].runtime = "weir";
  rows[0].samples = {1};
  rows[1].runtime = "libgomp";
  rows[1].samples = {100, 120, 3};
  rows[1].bounds = {Bound::above, Bound::above, Bound::exact};
  compare_with_weir(rows);
  EXPECT_EQ(rows[1].bound(), Bound::above);
  EXPECT_DOUBLE_EQ(rows[1].ratio, 0);
}

TEST_F(FakeRunners, TakeTurnsInEachRound) {
  const std::string prints = R"(echo '{"unit":"ns","cold":9,"wall":[4],"cpu":[4]}')";
  const auto rows = measure_chain({runner("weir", prints), runner("tbb", prints)}, 2);
  EXPECT_THAT(log_, ElementsAre("round 1 of 2: chain, weir, 2 workers", "round 1 of 2: chain, tbb, 2 workers",
                                "round 2 of 2: chain, weir, 2 workers", "round 2 of 2: chain, tbb, 2 workers"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].samples.size(), 2U);
}

TEST_F(FakeRunners, ThatAreKilledMakeTheirRowAnErrorAndNoOther) {
  const auto rows = measure_chain(
      {runner("weir", R"(echo '{"unit":"ns","cold":9,"wall":[4],"cpu":[4]}')"), runner("tbb", "kill -KILL $$")}, 2);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0].has_value());
  EXPECT_FALSE(rows[1].has_value());
  EXPECT_EQ(rows[1].error, "weir-bench-tbb was killed by signal 9 (Killed)");
  EXPECT_THAT(table_of(rows, benches()), HasSubstr("failed: chain, tbb, 2 workers: weir-bench-tbb was killed"));
}

TEST_F(FakeRunners, ThatHangAreEndedWithTheirTime) {
  const auto rows = measure_chain({runner("tbb", "exec sleep 1000")}, 2, 0.05);
  EXPECT_EQ(rows.at(0).error, "weir-bench-tbb did not end within 0.05 s and was killed");
}

TEST_F(FakeRunners, ThatCannotExpressABenchmarkHaveARowWithoutAValue) {
  const auto rows = measure_chain({runner("starpu", R"(echo '{"unsupported":"no nested tasks"}')")}, 3);
  EXPECT_EQ(rows.at(0).unsupported, "no nested tasks");
  EXPECT_EQ(rows.at(0).error, "");
  EXPECT_EQ(log_.size(), 1U);
}

TEST_F(FakeRunners, AreFoundByNameAndInTheOrderOfTheTable) {
  runner("tbb", "");
  runner("weir", "");
  const auto found = find_runners(folder_.string());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].runtime, "weir");
  EXPECT_EQ(chosen_runners("all", found)->size(), 2U);
  EXPECT_THAT(chosen_runners("libomp", found).status().message, HasSubstr("libomp is not available"));
}

TEST(Chosen, NamesTheNearestWhenAWordIsUnknown) {
  EXPECT_EQ(chosen_benches("chian").status().message, "there is no benchmark 'chian'; did you mean chain?");
  EXPECT_THAT(chosen_runners("cilk", {{"weir", "/x"}}).status().message,
              HasSubstr("there is no runtime 'cilk'; there are weir"));
  EXPECT_FALSE(chosen_benches(""));
  EXPECT_FALSE(chosen_benches("chain,,wavefront"));
}

TEST(Chosen, ExpandsMetgToAllPatterns) {
  const auto chosen = chosen_benches("metg,chain");
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->size(), 7U);
  EXPECT_EQ(chosen->front().name, "chain");
}

TEST(Chosen, TakesOnlyNumbersOfWorkers) {
  EXPECT_THAT(*chosen_workers("1,8,1"), ElementsAre(1, 8));
  for (const char* bad : {"", "0", "-1", "1,", "two", "1025", "1 2"}) EXPECT_FALSE(chosen_workers(bad)) << bad;
}

TEST(PlotScript, HasAPanelForEachNumberOfWorkersAndSkipsWhatHasNoValue) {
  std::vector<Row> rows(2);
  rows[0].bench = rows[1].bench = "chain";
  rows[0].runtime = "weir";
  rows[0].samples = {50};
  rows[1].runtime = "tbb";
  rows[1].workers = 2;
  rows[1].error = "killed";
  const std::string script = plot_script(rows, "svg", "out.svg");
  EXPECT_THAT(script, HasSubstr("chain 50 NaN"));
  EXPECT_THAT(script, HasSubstr("set multiplot layout 2,1"));
}

}  // namespace
}  // namespace weir::bench
