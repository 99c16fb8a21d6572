// SPDX-License-Identifier: Apache-2.0

#include "critical_path.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "made_up.hpp"

namespace weir::tool::report {
namespace {

std::vector<std::uint32_t> tasks_of(const CriticalPath& path) {
  std::vector<std::uint32_t> tasks;
  for (const PathStep& step : path.steps) {
    if (step.task != 0) tasks.push_back(step.task);
  }
  return tasks;
}

Ns sum_of(const CriticalPath& path) {
  Ns sum = 0;
  for (const PathStep& step : path.steps) sum += step.ns;
  return sum;
}

TEST(CriticalPath, OfAChainIsAllOfIt) {
  MadeUp m(2, 100);
  const auto a = m.spawn(0, 0), b = m.spawn(0, 1, {a}), c = m.spawn(0, 2, {b});
  m.span(0, Doing::wait, 3, 90);
  m.run(0, a, 10, 30);
  m.run(0, b, 40, 50);
  m.run(0, c, 60, 65);
  const CriticalPath path = critical_path(m.trace);
  EXPECT_EQ(tasks_of(path), (std::vector<std::uint32_t>{a, b, c}));
  EXPECT_EQ(sum_of(path), path.length);
}

TEST(CriticalPath, WhatATaskHasBegunElsewhereIsInItFromTheReturnOfTheFunctionOn) {
  MadeUp m(2, 100);
  const auto a = m.spawn(0, 0), b = m.spawn(0, 1, {a});
  m.span(0, Doing::wait, 2, 100);
  m.run(0, a, 10, 20);
  m.run(0, b, 85, 90);
  m.trace.late_ends = {{a, 80}};
  const CriticalPath path = critical_path(m.trace);
  EXPECT_EQ(path.length, 10 + 60 + 5);
  EXPECT_EQ(sum_of(path), path.length);
  ASSERT_EQ(path.steps.size(), 3u);
  EXPECT_TRUE(path.steps[1].elsewhere);
  EXPECT_EQ(path.steps[1].ns, 60);
}

TEST(CriticalPath, WhatWasCompletedBeforeTheFunctionReturnedAddsNothing) {
  MadeUp m(2, 100);
  const auto a = m.spawn(0, 0);
  m.span(0, Doing::wait, 1, 100);
  m.run(0, a, 10, 90);
  m.trace.late_ends = {{a, 50}};
  EXPECT_EQ(critical_path(m.trace).length, 80);
}

TEST(CriticalPath, OfNoTaskIsTheProgramsOwnCode) {
  const CriticalPath path = critical_path(MadeUp(2, 100).trace);
  EXPECT_EQ(tasks_of(path), std::vector<std::uint32_t>{});
  EXPECT_EQ(path.length, 100);
}

TEST(CriticalPath, OfADiamondGoesThroughTheLongerSide) {
  MadeUp m(2, 1000);
  const auto top = m.spawn(0, 0), left = m.spawn(0, 1, {top}), right = m.spawn(0, 2, {top});
  const auto bottom = m.spawn(0, 3, {left, right});
  m.span(0, Doing::wait, 4, 1000);
  m.span(1, Doing::wait, 0, 1000);
  m.run(0, top, 10, 20);
  m.run(0, left, 20, 30);
  m.run(1, right, 20, 70);
  m.run(0, bottom, 80, 100);
  const CriticalPath path = critical_path(m.trace);
  EXPECT_EQ(tasks_of(path), (std::vector<std::uint32_t>{top, right, bottom}));
  EXPECT_EQ(path.length, 10 + 50 + 20);  // the program's own code runs beside it
}

TEST(CriticalPath, GoesThroughTheThreadThatSpawnsWhenThatTakesLongest) {
  MadeUp m(2, 1000);
  m.span(1, Doing::wait, 0, 1000);
  std::uint32_t last = 0;
  for (Ns at = 0; at < 900; at += 100) {
    last = m.spawn(0, at + 99);
    m.run(1, last, at + 101, at + 111);
  }
  m.span(0, Doing::wait, 900, 1000);
  const CriticalPath path = critical_path(m.trace);
  EXPECT_EQ(tasks_of(path), (std::vector<std::uint32_t>{last}));
  EXPECT_EQ(path.length, 899 + 10);
}

TEST(CriticalPath, GoesFromParentToChildAndBackBehindTheWait) {
  MadeUp m(2, 1000);
  m.span(1, Doing::wait, 0, 1000);
  const auto parent = m.spawn(0, 0);
  m.span(0, Doing::wait, 1, 500);
  m.run(0, parent, 10, 400);
  const auto child = m.spawn(0, 30);  // 20 of its code, before the child
  m.span(0, Doing::wait, 31, 300);
  m.run(1, child, 100, 200);
  const CriticalPath path = critical_path(m.trace);
  EXPECT_EQ(path.length, 20 + 100 + 100 + 500);  // and the program's own code behind its wait()
  EXPECT_EQ(tasks_of(path), (std::vector<std::uint32_t>{parent, child, parent}));
  EXPECT_EQ(sum_of(path), path.length);
}

TEST(CriticalPath, WaitsForChildrenThatEndAfterTheirParentsFunction) {
  MadeUp m(2, 1000);
  m.span(1, Doing::wait, 0, 1000);
  const auto parent = m.spawn(0, 0), after = m.spawn(0, 1, {parent});
  m.span(0, Doing::wait, 2, 1000);
  m.run(0, parent, 10, 20);
  const auto child = m.spawn(0, 10);
  m.run(1, child, 20, 120);
  m.run(0, after, 130, 140);
  const CriticalPath path = critical_path(m.trace);
  EXPECT_EQ(tasks_of(path), (std::vector<std::uint32_t>{parent, child, after}));
  EXPECT_EQ(path.length, 100 + 10);
}

TEST(CriticalPath, OfEdtsThatOneHasMadeIsOneOfThem) {
  MadeUp m(1, 1000);
  m.trace.edts = true;
  const auto main = m.spawn(0, 0);
  m.span(0, Doing::wait, 1, 990);
  m.run(0, main, 10, 50);
  const auto first = m.spawn(0, 20), second = m.spawn(0, 30);
  m.run(0, first, 60, 160);
  m.run(0, second, 170, 470);
  const CriticalPath path = critical_path(m.trace);
  EXPECT_EQ(tasks_of(path), (std::vector<std::uint32_t>{main, second}));
  EXPECT_EQ(path.length, 20 + 300 + 10);  // and the program's own code, which waits for all
}

TEST(CriticalPath, OfAnEdtThatWaitsForAnotherRankGoesThroughWhatIsDoneThere) {
  MadeUp m(2, 1000);
  m.trace.edts = true;
  const auto asks = m.spawn(0, 0), asked = m.spawn(0, 1);
  m.trace.tasks[asked].asked = true;
  m.span(0, Doing::wait, 2, 1000);
  m.span(1, Doing::wait, 0, 1000);
  m.run(0, asks, 10, 400);
  m.span(0, Doing::spawn, 30, 30, asked);
  m.span(0, Doing::wait, 31, 300);
  m.run(1, asked, 100, 200);
  const CriticalPath path = critical_path(m.trace);
  EXPECT_EQ(tasks_of(path), (std::vector<std::uint32_t>{asks, asked, asks}));
  EXPECT_EQ(path.length, 20 + 100 + 100);
}

TEST(CriticalPath, GoesThroughWhatATaskHadRunWhenItLetAnotherOneRun) {
  MadeUp m(2, 1000);
  const auto first = m.spawn(0, 0), second = m.spawn(0, 1, {first});
  m.span(0, Doing::wait, 2, 1000);
  m.span(1, Doing::wait, 0, 1000);
  m.run(0, first, 10, 150);
  m.span(0, Doing::ready, 70, 70, second);
  m.run(1, second, 100, 300);
  const CriticalPath path = critical_path(m.trace);
  EXPECT_EQ(tasks_of(path), (std::vector<std::uint32_t>{first, second}));
  EXPECT_EQ(path.length, 60 + 200);  // and not what the first one has run afterwards
}

TEST(CriticalPath, DoesNotGoThroughATaskOnWhichNothingDependsWhenItMakesAnotherOneReady) {
  MadeUp m(2, 1000);
  const auto first = m.spawn(0, 0), second = m.spawn(0, 1);
  m.span(0, Doing::wait, 2, 1000);
  m.span(1, Doing::wait, 0, 1000);
  m.run(0, first, 10, 150);
  m.span(0, Doing::ready, 70, 70, second);
  m.run(1, second, 100, 300);
  EXPECT_EQ(tasks_of(critical_path(m.trace)), std::vector<std::uint32_t>{second});
}

TEST(CriticalPath, OfATaskThatWasSpawnedTwiceGoesThroughTheLongerSide) {  // as what another rank has asked for
  MadeUp m(2, 1000);
  m.span(1, Doing::wait, 0, 1000);
  const auto asks = m.spawn(0, 0), asked = m.spawn(0, 1);
  m.span(0, Doing::wait, 2, 1000);
  m.run(0, asks, 10, 150);
  m.span(0, Doing::spawn, 110, 110, asked);
  m.span(1, Doing::spawn, 120, 120, asked);
  m.run(1, asked, 120, 300);
  const CriticalPath path = critical_path(m.trace);
  EXPECT_EQ(tasks_of(path), (std::vector<std::uint32_t>{asks, asked}));
  EXPECT_EQ(path.length, 100 + 180);
}

TEST(CriticalPath, GoesThroughATaskThatAnotherOneWaitsForByItsHandle) {
  MadeUp m(2, 1000);
  const auto awaited = m.spawn(0, 0), waits = m.spawn(0, 1);
  m.span(0, Doing::wait, 2, 1000);
  m.span(1, Doing::wait, 0, 5);
  m.run(1, awaited, 10, 210);
  m.run(0, waits, 10, 520);
  m.span(0, Doing::wait, 20, 220, awaited);
  const CriticalPath path = critical_path(m.trace);
  EXPECT_EQ(tasks_of(path), (std::vector<std::uint32_t>{awaited, waits}));
  EXPECT_EQ(path.length, 200 + 300);
}

TEST(CriticalPath, OfAWaitForATaskThatHadEndedGoesThroughTheLongerSide) {
  MadeUp m(1, 1000);
  const auto awaited = m.spawn(0, 0), waits = m.spawn(0, 1);
  m.span(0, Doing::wait, 2, 1000);
  m.run(0, awaited, 10, 210);
  m.run(0, waits, 220, 420);
  m.span(0, Doing::wait, 270, 270, awaited);
  const CriticalPath path = critical_path(m.trace);
  EXPECT_EQ(tasks_of(path), (std::vector<std::uint32_t>{awaited, waits}));
  EXPECT_EQ(path.length, 200 + 150);
}

TEST(CriticalPath, OfTasksThatHaveMadeEachOtherEnds) {
  MadeUp m(2, 1000);
  const auto one = m.spawn(0, 0), other = m.spawn(0, 1);
  m.run(0, one, 10, 100);
  m.run(1, other, 20, 200);
  m.span(0, Doing::spawn, 30, 31, other);
  m.span(1, Doing::spawn, 40, 41, one);
  const CriticalPath path = critical_path(m.trace);
  EXPECT_LE(path.length, 1000);
}

TEST(CriticalPath, OfNothingIsNothing) {
  const MadeUp m(1, 0);
  EXPECT_EQ(critical_path(m.trace).length, 0);
}

}  // namespace
}  // namespace weir::tool::report
