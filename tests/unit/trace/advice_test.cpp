// SPDX-License-Identifier: Apache-2.0

// Advice on traces made by hand; what recorded ones are told: tests/golden/cases/report_*.
#include <gtest/gtest.h>

#include <string>

#include "analysis.hpp"
#include "balance.hpp"
#include "made_up.hpp"

namespace weir::tool::report {
namespace {

std::string advice(const MadeUp& m) {
  std::string all;
  for (const std::string& line : analyse(m.trace).advice) all += line + "\n";
  return all;
}
#define EXPECT_SAYS(m, text) EXPECT_NE(advice(m).find(text), std::string::npos) << advice(m)
#define EXPECT_SILENT(m, text) EXPECT_EQ(advice(m).find(text), std::string::npos) << advice(m)

// Worker 0 runs for all of 100 us, worker 1 has nothing.
MadeUp one_sided(int domain_of_worker_1) {
  MadeUp m(2, 100'000);
  m.trace.tracks[1].domain = domain_of_worker_1;
  for (int i = 0; i < 10; ++i) m.run(0, m.spawn(0, 0), 10'000 * i + 100, 10'000 * (i + 1));
  m.span(1, Doing::search, 0, 100'000);
  return m;
}

TEST(Advice, NamesTheDomainThatHadNothingAndThePolicyThatLeftTheWorkElsewhere) {
  MadeUp m = one_sided(1);
  m.trace.policy = "numa";
  EXPECT_SAYS(m, "domain 1 had nothing to run for 100 % of the run, domain 0 for 0 %, where 100 % of the work ran");
  EXPECT_SAYS(m, "during 90 % of that time tasks were ready, and policy numa left them to domain 0");
}

TEST(Advice, SaysThatTheWorkWasBoundToADomain) {
  MadeUp m = one_sided(1);
  for (Task& task : m.trace.tasks) task.wanted = 0;
  EXPECT_SAYS(m, "but 100 % of that work was bound to domain 0");
}

TEST(Advice, NamesTheWorkerWithinADomain) {
  EXPECT_SAYS(one_sided(0), "worker 1 had nothing to run for 100 % of the run, worker 0 for 0 %");
}

TEST(Advice, NamesTheTasksThatRanAloneWhileNoneWasReady) {
  MadeUp m(2, 100'000);
  for (int i = 0; i < 2; ++i) {
    const Ns at = 50'000 * i;
    const auto a = m.spawn(0, at), b = m.spawn(0, at + 1), c = m.spawn(0, at + 2);
    m.run(0, a, at + 10, at + 20'000);
    m.run(1, b, at + 10, at + 20'000);
    m.run(0, c, at + 20'010, at + 50'000);
    m.span(1, Doing::search, at + 20'010, at + 50'000);
  }
  EXPECT_SAYS(m, "no task was ready then, and 100 % of what ran was \"task\", 23.3 us each");
}

// A guest runs a task of 60 us, worker 0 one of 20 us: a quarter of the work.
TEST(Balance, CountsWhatGuestsRanInTheWork) {
  MadeUp m(2, 100'000);
  m.trace.tracks.push_back({"guest 2", 2, 0});
  m.run(0, m.spawn(0, 0), 10, 20'010);
  m.span(0, Doing::wait, 20'010, 100'000);
  m.run(2, m.spawn(2, 0), 10, 60'010);
  m.span(1, Doing::search, 0, 100'000);
  const Balance sides = balance(m.trace, time_parts(m.trace));
  EXPECT_EQ(sides.busiest.name, "worker 0");
  EXPECT_NEAR(sides.busiest.work, 0.25, 0.001);
}

// The same in two domains, and what the guest ran was to run in the one that it was in.
TEST(Balance, CountsWhatGuestsRanInTheirDomains) {
  MadeUp m(2, 100'000);
  m.trace.tracks[1].domain = 1;
  m.trace.tracks.push_back({"guest 2", 2, 0});
  m.run(0, m.spawn(0, 0), 10, 20'010);
  m.span(0, Doing::wait, 20'010, 100'000);
  const auto placed = m.spawn(2, 0);
  m.trace.tasks[placed].wanted = 0;
  m.run(2, placed, 10, 60'010);
  m.span(1, Doing::search, 0, 100'000);
  const Balance sides = balance(m.trace, time_parts(m.trace));
  EXPECT_EQ(sides.busiest.name, "domain 0");
  EXPECT_NEAR(sides.busiest.work, 1, 0.001);
  EXPECT_NEAR(sides.busiest.placed, 0.75, 0.001);
}

TEST(Advice, OfATaskThatWaitsGivesTheTimeOfItsOwnCode) {
  MadeUp m(2, 100'000);
  for (int i = 0; i < 2; ++i) {
    const Ns at = 50'000 * i;
    const auto task = m.spawn(0, at);
    m.run(0, task, at + 10, at + 50'000);
    m.span(0, Doing::wait, at + 20'010, at + 50'000);
    m.span(1, Doing::search, at, at + 50'000);
  }
  EXPECT_SAYS(m, "\"task\", 20.0 us each");
}

TEST(Advice, SaysHowMuchLargerTasksShouldBe) {
  MadeUp m(1, 100'000);
  m.span(0, Doing::wait, 0, 100'000);
  for (int i = 0; i < 100; ++i) m.run(0, m.spawn(0, 1000 * i), 1000 * i + 900, 1000 * i + 940);
  EXPECT_SAYS(m, "100 tasks \"task\" last 40 ns on average, and the runtime's own cost of a task is 960 ns, 96 %");
  EXPECT_SAYS(m, "at least 240 times larger");
}

TEST(Advice, DoesNotTakeAWorkerThatWasKeptFromRunningForTheCostOfItsTasks) {
  MadeUp m(1, 1'000'000);
  m.span(0, Doing::wait, 0, 1'000'000);
  for (int i = 0; i < 10; ++i) m.run(0, m.spawn(0, 100'000 * i), 100'000 * i + 50'000, 100'000 * i + 90'000);
  EXPECT_SILENT(m, "times larger");
}

TEST(Advice, OfIslandsSpeaksOfTheirMasterAndTheirLines) {
  MadeUp m(2, 100'000);
  m.trace.policy = "islands, flush";
  m.span(0, Doing::wait, 0, 100'000);
  m.span(1, Doing::search, 0, 60'000);
  m.span(1, Doing::stage, 60'000, 80'000);
  for (int i = 0; i < 4; ++i) m.run(1, m.spawn(0, 0), 80'000 + 5'000 * i, 85'000 + 5'000 * i);
  EXPECT_SAYS(m, "making footprints fresh and writing them back");
  EXPECT_SAYS(m, "tasks were ready, and the master had not come to give them away");
  EXPECT_SILENT(m, "--strategy");
  EXPECT_SILENT(m, "had nothing to run for");
}

TEST(Advice, SaysThatALinkIsWhatBoundsTheRun) {
  MadeUp m(1, 100'000);
  m.trace.tiers = {{"hbm", 1 << 20, 100, 80}, {"ddr", 1 << 24, 10, 8}};
  m.trace.blocks = {{"a", 1 << 20}};
  m.trace.moves = {{0, 90'000, 0, 810'000, "ddr", "hbm"}};
  EXPECT_SAYS(m,
              "bound by bandwidth: ddr to hbm reached 9.00 of 10.00 GB/s measured, for 90 % of the run, with 791 KiB");
  m.trace.moves.front().bytes = 90'000;
  EXPECT_SAYS(m, "ddr to hbm reached 1.00 of 10.00 GB/s measured: larger blocks");
}

TEST(Advice, SaysThatTasksStreamAtWhatMemoryGives) {
  MadeUp m(1, 1'000'000);
  m.trace.memory_gb_per_s = 10;
  const auto task = m.spawn(0, 0);
  m.trace.tasks[task].bytes = 8'000'000;
  m.run(0, task, 1, 1'000'000);
  EXPECT_SAYS(
      m, "the tasks' footprints, 7.63 MiB, most of it of \"task\", went by at 8.0 GB/s, and all memory gives 10.0");
  m.trace.tasks[task].bytes = 80'000'000;  // from a cache
  EXPECT_SILENT(m, "bound by bandwidth");
}

TEST(Balance, ATaskIsReadyOnlyWhenWhatItComesAfterHasEndedLate) {
  MadeUp m(2, 100'000);
  const auto a = m.spawn(0, 0), b = m.spawn(0, 1, {a});
  m.span(0, Doing::wait, 2, 100'000);
  m.span(1, Doing::search, 0, 100'000);
  m.run(0, a, 10, 20);
  m.run(0, b, 90'000, 95'000);
  EXPECT_GT(balance(m.trace, time_parts(m.trace)).ready, 0.8);
  m.trace.late_ends = {{a, 90'000}};
  EXPECT_EQ(balance(m.trace, time_parts(m.trace)).ready, 0);
}

}  // namespace
}  // namespace weir::tool::report
