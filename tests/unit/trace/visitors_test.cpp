// SPDX-License-Identifier: Apache-2.0

// Threads that are no workers in a report: guests, spares, and those that serve other ranks. They count from their
// first interval to their last.
#include <gtest/gtest.h>

#include "analysis.hpp"
#include "made_up.hpp"
#include "timeline.hpp"

namespace weir::tool::report {
namespace {

// Two workers run 40 tasks for all of 82 us; a thread spawns one of them at 2 us, waits, and is gone at 6 us.
MadeUp with_a_guest() {
  MadeUp m(2, 82'000);
  m.trace.tracks.push_back({"guest 2", 2, 0});
  m.span(0, Doing::wait, 100, 82'000);
  m.run(0, m.spawn(2, 2000), 2000, 4000);
  m.span(2, Doing::wait, 2500, 6000);
  for (int i = 0; i < 39; ++i) m.run(i % 2, m.spawn(0, 1), 4000 + 2000 * i, 6000 + 2000 * i);
  return m;
}

TEST(Visitors, AGuestCountsFromItsFirstIntervalToItsLast) {
  const MadeUp m = with_a_guest();
  const TimeParts guest = time_parts(m.trace)[2];
  EXPECT_TRUE(guest.is_guest);
  EXPECT_DOUBLE_EQ(guest.sum(), 4000);
  EXPECT_DOUBLE_EQ(guest.program, 499);
}

TEST(Visitors, AGuestIsAbsentInTheTimelineBeforeAndAfter) {
  const MadeUp m = with_a_guest();
  const auto pieces = timeline(m.trace)[2].pieces;
  ASSERT_EQ(pieces.size(), 5u);
  EXPECT_EQ(pieces.front().part, Part::absent);
  EXPECT_EQ(pieces.front().ns, 2000);
  EXPECT_EQ(pieces[2].part, Part::program);
  EXPECT_EQ(pieces.back().part, Part::absent);
  EXPECT_EQ(pieces.back().ns, 76'000);
}

TEST(Visitors, WhatIsNotKnownOfAGuestIsNotOnTheCriticalPath) {
  const CriticalPath path = critical_path(with_a_guest().trace);
  EXPECT_EQ(path.length, 2000 + 1);
  for (const PathStep& step : path.steps) EXPECT_NE(step.task == 0 && step.ns > 500, true);
}

// 80 us of tasks, and 499 ns of the guest's own code, for two workers and a guest that was there for 4 of 82 us.
TEST(Visitors, ABoundIsNeverLongerThanTheRunWhenGuestsHaveWorked) {
  const Report report = analyse(with_a_guest().trace);
  EXPECT_DOUBLE_EQ(report.guests_ns, 4000);
  EXPECT_DOUBLE_EQ(report.work_bound_ns, report.work_ns / (2 + 4.0 / 82));
  MadeUp helps(1, 1000);
  helps.trace.tracks.push_back({"guest 1", 1, 0});
  helps.run(0, helps.spawn(0, 0), 1, 1000);
  helps.span(1, Doing::wait, 0, 1000);
  helps.run(1, helps.spawn(0, 0), 0, 1000);
  EXPECT_LE(analyse(helps.trace).bound_ns(), 1000);
  for (const std::string& line : analyse(helps.trace).advice) EXPECT_EQ(line.find('-'), std::string::npos) << line;
}

TEST(Visitors, ALinkThatWasFasterThanMeasuredIsNotBoundByWhatWasMeasured) {
  MadeUp m(1, 1000);
  m.trace.tiers = {{"hbm", 1 << 20, 100, 80}, {"ddr", 1 << 24, 10, 8}};
  m.trace.blocks = {{"a", 1 << 20}};
  m.trace.moves = {{0, 1000, 0, 20'000, "ddr", "hbm"}};
  EXPECT_DOUBLE_EQ(analyse(m.trace).bytes_bound_ns, 1000);
}

TEST(Visitors, BetweenTheIntervalsOfASpareIsNoCodeOfTheProgram) {
  MadeUp m(1, 1000);
  m.trace.tracks.push_back({"spare 1", 1, 0, 0, true});
  m.run(1, m.spawn(0, 0), 100, 200);
  m.span(1, Doing::search, 700, 900);
  m.span(0, Doing::wait, 10, 1000);
  const TimeParts spare = time_parts(m.trace)[1];
  EXPECT_FALSE(spare.is_guest);
  EXPECT_DOUBLE_EQ(spare.program, 0);
  EXPECT_DOUBLE_EQ(spare.sum(), 800);
  EXPECT_EQ(critical_path(m.trace).length, 100);
}

TEST(Visitors, TasksOfThreadsThatServeOtherRanksAreCounted) {
  MadeUp m(1, 1000);
  m.trace.tracks.push_back({"rank 0 guest 1", -1, 0, 0, true});
  m.run(0, m.spawn(0, 0), 100, 200);
  m.run(1, m.spawn(0, 1), 100, 200);
  const Report report = analyse(m.trace);
  EXPECT_EQ(report.tasks, 2u);
  EXPECT_EQ(report.tasks_of_no_worker(), 1u);
  ASSERT_EQ(report.names.size(), 1u);
  EXPECT_EQ(report.names.front().tasks, report.tasks);
}

// The parent's code before its wait and behind it are two steps.
TEST(CriticalPath, ATaskWithSeveralStepsIsOneTask) {
  MadeUp m(2, 1000);
  m.span(1, Doing::wait, 0, 1000);
  const auto parent = m.spawn(0, 0);
  m.span(0, Doing::wait, 1, 1000);
  m.run(0, parent, 10, 400);
  const auto child = m.spawn(0, 30);
  m.span(0, Doing::wait, 31, 300);
  m.run(1, child, 100, 200);
  const Report report = analyse(m.trace);
  ASSERT_EQ(report.path.steps.size(), 3u);
  ASSERT_EQ(report.path_names.size(), 1u);
  EXPECT_EQ(report.path_names.front().tasks, 2u);
}

}  // namespace
}  // namespace weir::tool::report
