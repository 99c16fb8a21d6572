// SPDX-License-Identifier: Apache-2.0

#include "bench/report/bars.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <tuple>
#include <utility>

#include "bench/report/bars.hpp"
#include "bench/report/metg_table.hpp"
#include "bench/report/render.hpp"
#include "bench/tasks/patterns.hpp"

namespace weir::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

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
    Measurement what{*chosen_benches("chain"), runners, {2}, 2, {}};
    what.amount.rounds = rounds;
    what.amount.timeout_s = timeout_s;
    return measure(what, [this](const Progress& progress) {
      log_.push_back(progress.next);
      done_.push_back({progress.done, progress.total});
    });
  }

  std::filesystem::path folder_;
  std::vector<std::string> log_;
  std::vector<std::pair<std::size_t, std::size_t>> done_;
};

TEST(AddOutput, TakesTheMedianOfTheRunsInAProcess) {
  Row row;
  ASSERT_TRUE(add_output(row, R"({"unit":"ns","cold":90,"wall":[5,1,3],"cpu":[6,2,4],"line":[70,50,60]})"));
  EXPECT_THAT(row.samples, ElementsAre(3));
  EXPECT_THAT(row.cpu_samples, ElementsAre(4));
  EXPECT_THAT(row.cold_samples, ElementsAre(90));
  EXPECT_THAT(row.line_samples, ElementsAre(60));
  ASSERT_TRUE(add_output(row, R"({"unit":"ns","cold":9,"wall":[2],"cpu":[6]})"));
  EXPECT_EQ(row.worst, 5) << "the slowest run of all processes";
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
  EXPECT_THAT(done_, ElementsAre(Pair(0, 4), Pair(1, 4), Pair(2, 4), Pair(3, 4)));
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

TEST(CompareWithProcessors, DividesByTheSameRowWithAsManyWorkersAsProcessors) {
  std::vector<Row> rows(4);
  for (Row& row : rows) row.runtime = "weir";
  rows[0].samples = {10};
  rows[0].workers = 1;
  rows[1].samples = {20};
  rows[1].workers = 2;
  rows[2].samples = {50};
  rows[2].workers = 8;
  rows[3].samples = {50};
  rows[3].workers = 8;
  rows[3].runtime = "tbb";
  compare_with_processors(rows, 2);
  EXPECT_EQ(rows[0].over_processors, 0);
  EXPECT_EQ(rows[1].over_processors, 0);
  EXPECT_DOUBLE_EQ(rows[2].over_processors, 2.5);
  EXPECT_EQ(rows[3].over_processors, 0) << "nothing to compare with";
  EXPECT_THAT(table_of(rows, std::vector<Bench>{{"", "title"}}), HasSubstr("50.0"));
}

std::vector<std::string> names_in(Extent extent) {
  std::vector<std::string> names;
  const auto benches = chosen_benches("", extent);
  for (const Bench& bench : *benches) names.push_back(bench.name);
  return names;
}

TEST(Plan, OfTheUsualRunHasEveryPatternThatIsComparedInBothForms) {
  const std::vector<std::string> usual = {"independent",
                                          "chain",
                                          "forkjoin",
                                          "wavefront",
                                          "bytes_per_task",
                                          "metg_stencil_1d",
                                          "metg_stencil_1d_fresh",
                                          "metg_nearest",
                                          "metg_nearest_fresh",
                                          "metg_spread",
                                          "metg_spread_fresh",
                                          "metg_fft",
                                          "metg_fft_fresh",
                                          "metg_random_nearest",
                                          "metg_random_nearest_fresh",
                                          "metg_dom",
                                          "metg_dom_fresh",
                                          "metg_tree",
                                          "metg_tree_fresh"};
  EXPECT_EQ(names_in(Extent::usual), usual);
  EXPECT_EQ(names_in(Extent::quick), usual);
}

TEST(Plan, OfTheFullRunHasEverything) {
  EXPECT_EQ(names_in(Extent::full).size(), benches().size());
  EXPECT_EQ(benches().size(), 5u + 2 * kPatternNames.size() - 1 + 2) << "trivial names no memory; small has two";
  EXPECT_EQ(chosen_benches("all")->size(), benches().size());
}

TEST(Plan, RepeatsEnoughForAMedian) {
  const auto amount = [](Extent extent) {
    const Amount is = amount_of(extent);
    return std::tuple(is.rounds, is.repeat, is.quick);
  };
  EXPECT_EQ(amount(Extent::quick), std::tuple(2, 3, true));
  EXPECT_EQ(amount(Extent::usual), std::tuple(3, 3, false));
  EXPECT_EQ(amount(Extent::full), std::tuple(5, 5, false));
}

TEST(Plan, MeasuresSmallTasksWithMoreWorkersThanProcessors) {
  const auto workers = [](const char* bench, const std::vector<int>& asked) {
    return workers_of(chosen_benches(bench)->front(), asked, 2);
  };
  EXPECT_THAT(workers("small_trivial", {}), ElementsAre(2, 4, 8));
  EXPECT_THAT(workers("small_trivial", {2, 16}), ElementsAre(2, 16));
  EXPECT_THAT(workers("chain", {}), ElementsAre(1, 2));
  EXPECT_THAT(workers("chain", {4}), ElementsAre(4));
  EXPECT_THAT(workers("bytes_per_task", {4}), ElementsAre(1));
}

TEST(Plan, LeavesStarpuToTheFullRun) {
  const std::vector<Runner> all = {{"weir", "/w"}, {"tbb", "/t"}, {"starpu", "/s"}, {"serial", "/c"}};
  const auto names = [&](const char* list, Extent extent) {
    std::vector<std::string> result;
    const auto runners = chosen_runners(list, all, extent);
    for (const Runner& runner : *runners) result.push_back(runner.runtime);
    return result;
  };
  EXPECT_THAT(names("", Extent::usual), ElementsAre("weir", "tbb", "serial"));
  EXPECT_THAT(names("", Extent::full), ElementsAre("weir", "tbb", "starpu", "serial"));
  EXPECT_THAT(names("all", Extent::usual), ElementsAre("weir", "tbb", "starpu", "serial"));
  EXPECT_THAT(names("starpu", Extent::usual), ElementsAre("starpu"));
}

TEST_F(FakeRunners, OfAnotherBuildHaveANameOfTheirOwn) {
  const Runner made = runner("weir", "");
  const auto beside = runner_beside("old=" + made.path);
  ASSERT_TRUE(beside);
  EXPECT_EQ(beside->runtime, "old");
  EXPECT_EQ(beside->path, made.path);
  EXPECT_THAT(runner_beside(made.path).status().message, HasSubstr("NAME=PROGRAM"));
  EXPECT_THAT(runner_beside("old=").status().message, HasSubstr("NAME=PROGRAM"));
  EXPECT_THAT(runner_beside("tbb=" + made.path).status().message, HasSubstr("'tbb' is the name of a runtime"));
  EXPECT_THAT(runner_beside("old=/nowhere").status().message, HasSubstr("/nowhere is no program"));
}

Row metg_row(const std::string& bench, const std::string& runtime, int workers, double us) {
  Row row;
  row.bench = bench;
  row.runtime = runtime;
  row.workers = workers;
  if (us > 0) row.samples = {us};
  return row;
}

TEST(MetgTable, HasPatternsAndRuntimesDownAndWorkersAndMemoryAcross) {
  std::vector<Row> rows = {metg_row("chain", "weir", 1, 50),
                           metg_row("metg_dom", "weir", 1, 0.3),
                           metg_row("metg_dom", "weir", 2, 0.83),
                           metg_row("metg_dom_fresh", "weir", 1, 0.51),
                           metg_row("metg_dom_fresh", "weir", 2, 0.97),
                           metg_row("metg_dom", "tbb", 1, 0.4),
                           metg_row("metg_dom", "tbb", 2, 0),
                           metg_row("metg_tree", "tbb", 1, 9)};
  rows[6].error = "killed";
  rows[7].bounds = {Bound::above};
  EXPECT_EQ(metg_table_of(rows),
            "METG(50 %), us                  1 worker           2 workers\n"
            "                                   again     fresh     again     fresh\n"
            "  dom             weir              0.30      0.51      0.83      0.97\n"
            "                  tbb               0.40         -    failed         -\n"
            "  tree            weir                 -         -         -         -\n"
            "                  tbb             > 9.00         -         -         -\n"
            "again: cells that take turns; fresh: each task writes memory that was never named before\n");
  EXPECT_EQ(metg_table_of(std::span(rows).first(1)), "");
}

TEST(Chosen, NamesTheNearestWhenAWordIsUnknown) {
  EXPECT_EQ(chosen_benches("chian").status().message, "there is no benchmark 'chian'; did you mean chain?");
  EXPECT_THAT(chosen_runners("cilk", {{"weir", "/x"}}).status().message,
              HasSubstr("there is no runtime 'cilk'; there are weir"));
  EXPECT_FALSE(chosen_benches("chain,,wavefront"));
}

TEST(Chosen, ExpandsMetgToAllPatterns) {
  const auto chosen = chosen_benches("metg,chain");
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->size(), 2 * kPatternNames.size());
  EXPECT_EQ(chosen->front().name, "chain");
  EXPECT_EQ(chosen_benches("small")->size(), 2u);
}

TEST(Chosen, TakesOnlyNumbersOfWorkers) {
  EXPECT_THAT(*chosen_workers("1,8,1"), ElementsAre(1, 8));
  for (const char* bad : {"", "0", "-1", "1,", "two", "1025", "1 2"}) EXPECT_FALSE(chosen_workers(bad)) << bad;
}

Row row_with(const char* runtime, int workers, std::vector<double> samples) {
  Row row;
  row.bench = "chain";
  row.runtime = runtime;
  row.workers = workers;
  row.samples = std::move(samples);
  return row;
}

TEST(Plot, HasAPanelForEachNumberOfWorkersAndTheRuntimesThatHaveAValueInIt) {
  std::vector<Row> rows = {row_with("weir", 1, {50}), row_with("tbb", 1, {}), row_with("weir", 2, {60}),
                           row_with("tbb", 2, {90})};
  rows[1].unsupported = "it cannot";
  const std::string script = plot_of(rows).script;
  EXPECT_THAT(script, HasSubstr("row \"weir\"\n\"chain\" 50\nEOD"));
  EXPECT_THAT(script, HasSubstr("row \"weir\" \"tbb\"\n\"chain\" 60 90\nEOD"));
  EXPECT_THAT(script, HasSubstr("set multiplot layout 2,1"));
}

TEST(Plot, HasNoPanelInWhichNothingHasAValue) {
  std::vector<Row> rows = {row_with("weir", 1, {50}), row_with("tbb", 2, {})};
  rows[1].error = "killed";
  EXPECT_THAT(plot_of(rows).script, HasSubstr("set multiplot layout 1,1"));
  rows.erase(rows.begin());
  EXPECT_EQ(plot_of(rows).script, "");
}

TEST(Plot, ItsAxisBeginsBelowTheLeastBar) {
  EXPECT_THAT(plot_of(std::vector{row_with("weir", 1, {50})}).script, HasSubstr("set yrange [25:*]"));
}

TEST(Bars, AQuoteInANameEndsNoWordOfTheNumbers) {
  Bars bars({"a \"b\""});
  bars.add("one\nline", 0, 1);
  EXPECT_THAT(bars.script("x"), HasSubstr("row \"a 'b'\"\n\"one line\" 1\nEOD"));
}

TEST(Rows, OneOfAMetgHasItsUnitWithoutAValueToo) {
  Measurement what;
  what.benches = *chosen_benches("metg_stencil_1d,chain,bytes_per_task");
  what.runners = {{"nowhere", "/nonexistent/runner"}};
  what.workers = {1};
  what.amount.rounds = 1;
  for (const Row& row : measure(what, [](const Progress&) {}))
    EXPECT_EQ(row.unit, row.bench == "chain" ? "ns" : row.bench == "bytes_per_task" ? "bytes" : "us") << row.bench;
}

}  // namespace
}  // namespace weir::bench
