// SPDX-License-Identifier: Apache-2.0

#include "time_parts.hpp"

#include <gtest/gtest.h>

#include "made_up.hpp"

namespace weir::tool::report {
namespace {

TEST(TimeParts, AddUpToTheLifeOfTheRuntime) {
  MadeUp m(2, 1000);
  const auto a = m.spawn(0, 100), b = m.spawn(0, 200);
  m.span(0, Doing::wait, 300, 900);
  m.run(0, a, 310, 500);
  m.span(0, Doing::search, 500, 880);
  m.span(1, Doing::wait, 0, 1000);
  m.span(1, Doing::search, 10, 990);
  m.span(1, Doing::park, 20, 250);
  m.run(1, b, 250, 250);
  for (const TimeParts& worker : time_parts(m.trace)) EXPECT_DOUBLE_EQ(worker.sum(), 1000) << worker.worker;
}

TEST(TimeParts, SayWhatTheThreadDidInAndOutsideOfTasks) {
  MadeUp m(1, 1000);
  const auto a = m.spawn(0, 100);
  m.span(0, Doing::wait, 300, 900);
  m.span(0, Doing::stage, 305, 310, a);
  m.run(0, a, 310, 500);
  m.spawn(0, 400);
  const TimeParts worker = time_parts(m.trace).front();
  EXPECT_DOUBLE_EQ(worker.program, 299 + 100);
  EXPECT_DOUBLE_EQ(worker.analysing, 2);
  EXPECT_DOUBLE_EQ(worker.running, 189);
  EXPECT_DOUBLE_EQ(worker.moving, 5);
  EXPECT_DOUBLE_EQ(worker.scheduling, 5 + 400);
  EXPECT_EQ(worker.tasks, 1u);
}

// One worker runs a task from 100 to 200, for which another one waits; nothing is left after 300.
TEST(TimeParts, TellWaitingForWorkFromIdling) {
  MadeUp m(2, 1000);
  const auto a = m.spawn(0, 99), b = m.spawn(0, 100, {a});
  m.span(0, Doing::wait, 101, 1000);
  m.run(0, a, 101, 200);
  m.run(0, b, 200, 300);
  m.span(1, Doing::wait, 0, 1000);
  m.span(1, Doing::search, 0, 1000);
  const TimeParts other = time_parts(m.trace)[1];
  EXPECT_DOUBLE_EQ(other.waiting_for_work, 300 - 99);
  EXPECT_DOUBLE_EQ(other.idle, 99 + 700);
}

TEST(TimeParts, DivideAWaitForDataAmongWorkersWithoutWork) {
  MadeUp m(2, 100);
  const auto a = m.spawn(0, 0);
  for (int worker = 0; worker < 2; ++worker) {
    m.span(worker, Doing::wait, 1, 100);
    m.span(worker, Doing::search, 1, 90);
  }
  m.trace.data_waits.push_back({11, 51, 1, For::blocks});
  m.run(0, a, 90, 100);
  const auto workers = time_parts(m.trace);
  EXPECT_DOUBLE_EQ(workers[0].waiting_for_data, 20);
  EXPECT_DOUBLE_EQ(workers[1].waiting_for_data, 20);
  EXPECT_DOUBLE_EQ(workers[0].waiting_for_work, 89 - 20);
}

TEST(TimeParts, TellWhatATaskWaitsForApart) {
  MadeUp m(1, 100);
  const auto a = m.spawn(0, 0);
  m.span(0, Doing::wait, 1, 100);
  m.span(0, Doing::search, 1, 90);
  m.trace.data_waits.push_back({10, 20, a, For::room});
  m.trace.data_waits.push_back({20, 40, a, For::blocks});
  m.trace.data_waits.push_back({40, 50, a, For::lock});
  m.trace.data_waits.push_back({50, 65, a, For::block});
  m.run(0, a, 90, 100);
  const TimeParts parts = time_parts(m.trace)[0];
  EXPECT_DOUBLE_EQ(parts.waiting_for_data, 30);
  EXPECT_DOUBLE_EQ(parts.waiting_for_room, 10);
  EXPECT_DOUBLE_EQ(parts.waiting_for_others, 25);
  EXPECT_DOUBLE_EQ(parts.waiting_for_work, 89 - 55);
  EXPECT_DOUBLE_EQ(parts.sum(), 100);
}

TEST(OwnTimes, LeaveOutWhatRanOnTopOfATaskThatWaited) {
  MadeUp m(1, 100);
  const auto outer = m.spawn(0, 0);
  m.span(0, Doing::wait, 1, 100);
  m.run(0, outer, 10, 90);
  const auto inner = m.spawn(0, 20);
  m.span(0, Doing::wait, 30, 80);
  m.run(0, inner, 40, 60);
  const auto own = own_times(m.trace);
  EXPECT_EQ(own[outer], 10 + 9 + 10);
  EXPECT_EQ(own[inner], 20);
}

}  // namespace
}  // namespace weir::tool::report
