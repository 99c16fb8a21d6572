// SPDX-License-Identifier: Apache-2.0

// What a thread does, by the intervals of its track.
#include "sim/track_code.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weir::sim {
namespace {

using trace::Kind;

std::vector<Act> acts_of(const Program& program, std::uint32_t task) {
  std::vector<Act> acts;
  const Span& span = program.tasks[task].actions;
  for (std::uint32_t i = span.first; i < span.first + span.count; ++i) acts.push_back(program.actions[i].act);
  return acts;
}

Program program_of_edts(std::size_t count) {
  Program program;
  program.edts = true;
  program.tasks.resize(count);
  return program;
}

Interval task(std::uint32_t number, std::uint64_t start, std::uint64_t end) {
  return {.start = start, .end = end, .kind = Kind::task, .subject = number};
}
Interval edge(std::uint32_t from, std::uint32_t to, std::uint64_t at) {
  return {.start = at, .end = at, .kind = Kind::edge, .subject = to, .from = from};
}

Interval edge_by_end(std::uint32_t from, std::uint32_t to, std::uint64_t at) {
  Interval interval = edge(from, to, at);
  interval.by = trace::EdgeBy::end;
  return interval;
}

TEST(TrackCode, AnEdtGivesItsBlocksBackBeforeItsOutputEventSatisfiesSlots) {
  Program program = program_of_edts(4);
  TrackCode code(program, 0, 1000, {});
  code.add(0, {task(0, 100, 500), edge(0, 1, 200), edge_by_end(0, 2, 480), edge_by_end(0, 3, 500)});
  code.finish({true, true, true, true});
  EXPECT_EQ(acts_of(program, 0), (std::vector{Act::compute, Act::satisfy, Act::compute, Act::release, Act::satisfy,
                                              Act::compute, Act::satisfy}));
}

TEST(TrackCode, AnEdtThatSatisfiesNothingByItsEndGivesItsBlocksBackByEnding) {
  Program program = program_of_edts(3);
  TrackCode code(program, 0, 1000, {});
  code.add(0, {task(0, 100, 500), edge(0, 1, 200), edge(0, 2, 500)});
  code.finish({true, true, true});
  EXPECT_EQ(acts_of(program, 0), (std::vector{Act::compute, Act::satisfy, Act::compute, Act::satisfy}));
}

TEST(TrackCode, SlotsThatAreSatisfiedWhenAnEdtHasEndedComeAfterItsBlocksWereGivenBack) {
  Program program = program_of_edts(3);
  TrackCode code(program, 0, 100, {});
  code.add(0, {task(0, 10, 50), edge(0, 1, 60), edge(0, 2, 70)});
  code.finish({true, true, true});
  EXPECT_EQ(acts_of(program, 0), (std::vector{Act::compute, Act::release, Act::satisfy, Act::satisfy}));
}

TEST(TrackCode, AnEdgeOfTasksWithFootprintsIsNothingThatTheEarlierOneDoes) {
  Program program = program_of_edts(2);
  program.edts = false;
  TrackCode code(program, 0, 100, {});
  code.add(0, {edge(0, 1, 5), task(0, 10, 50), edge(0, 1, 60)});
  code.finish({true, true});
  EXPECT_EQ(acts_of(program, 0), (std::vector{Act::compute}));
}

TEST(TrackCode, TimeInWhichATierGotPagesIsNotTheProgramsOwn) {
  Program program = program_of_edts(1);
  program.edts = false;
  TrackCode code(program, 0, 100, {{20, 30}, {60, 70}});
  code.add(0, {{.start = 40, .end = 50, .kind = Kind::spawn, .subject = 0}});
  code.finish({true});
  ASSERT_EQ(program.threads.size(), 1u);
  EXPECT_EQ(program.actions[program.threads[0].actions.first].ns, 30u);
}

Interval spawn_of(std::uint32_t number, std::uint64_t start, std::uint64_t end) {
  return {.start = start, .end = end, .kind = Kind::spawn, .subject = number};
}
Interval children_awaited(std::uint64_t start, std::uint64_t end) {
  return {.start = start, .end = end, .kind = Kind::wait, .what = std::uint8_t(trace::WaitFor::children)};
}
Interval start_of_guest(std::uint32_t worker, std::uint64_t at) {
  return {.start = at, .end = at, .subject = worker, .starts_guest = true};
}
std::vector<Act> acts_of_thread(const Program& program, std::size_t thread) {
  std::vector<Act> acts;
  const Span& span = program.threads.at(thread).actions;
  for (std::uint32_t i = span.first; i < span.first + span.count; ++i) acts.push_back(program.actions[i].act);
  return acts;
}

TEST(TrackCode, OfAGuestOnlyWhatLiesBetweenItsIntervalsIsKnown) {
  Program program;
  program.tasks.resize(2);
  TrackCode code(program, 0, 1000, {});
  code.add(0, {spawn_of(0, 100, 110), start_of_guest(3, 300), children_awaited(400, 500)});
  code.add_guest(3, {spawn_of(1, 300, 310), children_awaited(350, 380)});
  code.finish({true, true});
  ASSERT_EQ(program.threads.size(), 2u);
  EXPECT_EQ(acts_of_thread(program, 0), (std::vector{Act::compute, Act::spawn, Act::compute, Act::start_thread,
                                                     Act::compute, Act::wait_children, Act::compute}));
  EXPECT_EQ(acts_of_thread(program, 1), (std::vector{Act::spawn, Act::compute, Act::wait_children}));
  EXPECT_EQ(program.actions[program.threads[0].actions.first + 2].ns, 190u);
  EXPECT_EQ(program.actions[program.threads[0].actions.first + 3].subject, 1u);
  EXPECT_TRUE(program.threads[1].is_started);
}

TEST(TrackCode, AGuestThatComesWhileTheFirstThreadWaitsComesBeforeThat) {
  Program program;
  program.tasks.resize(2);
  TrackCode code(program, 0, 1000, {});
  code.add(0, {spawn_of(0, 100, 110), children_awaited(200, 900), start_of_guest(2, 400)});
  code.add_guest(2, {spawn_of(1, 400, 410)});
  code.finish({true, true});
  EXPECT_EQ(acts_of_thread(program, 0),
            (std::vector{Act::compute, Act::spawn, Act::compute, Act::start_thread, Act::wait_children, Act::compute}));
}

TEST(TrackCode, AGuestThatNeitherSpawnsNorWaitsIsNoThreadOfTheProgram) {
  Program program;
  program.tasks.resize(1);
  TrackCode code(program, 0, 1000, {});
  code.add(0, {spawn_of(0, 100, 110), start_of_guest(2, 400)});
  code.add_guest(2, {task(0, 400, 500)});
  code.finish({true});
  EXPECT_EQ(program.threads.size(), 1u);
  EXPECT_EQ(acts_of_thread(program, 0), (std::vector{Act::compute, Act::spawn, Act::compute, Act::compute}));
}

// A thread that copies makes a tier grow from 40 to 70. The worker needs the data layer at 50, and goes on at 75; what
// is begun meanwhile, and has not ended, is nothing that it waits for.
TEST(TrackCode, TimeUntilAnotherThreadHasPagesIsNoTimeBetweenTasks) {
  Program program;
  program.tasks.resize(2);
  TrackCode code(program, 0, 200, {{40, 70}, {72, 90}});
  code.add(0, {{.start = 0, .end = 150, .kind = Kind::wait, .what = std::uint8_t(trace::WaitFor::children)},
               task(0, 0, 50),
               task(1, 75, 150)});
  code.finish({true, true});
  EXPECT_EQ(program.dispatch_ns, (75u - 70u) / 2);
}

// Worker 0 runs a task for 1000 ns, worker 1 another one for the second half of that.
TEST(TrackCode, ATaskSharesMemoryWithThoseThatRunMeanwhileOnAverageOverItsTime) {
  Program program;
  program.tasks.resize(2);
  TrackCode code(program, 0, 1000, {});
  code.add(0, {{.start = 0, .end = 1000, .kind = trace::Kind::task, .subject = 0}});
  code.add(1, {{.start = 500, .end = 1000, .kind = trace::Kind::task, .subject = 1}});
  code.finish({true, true});
  EXPECT_FLOAT_EQ(program.tasks[0].beside, 0.5F);
  EXPECT_FLOAT_EQ(program.tasks[1].beside, 1);
}

// The first thread computes for 600 ns and waits for the rest, and runs a task there from 800 on; worker 1 runs one for
// all of it.
TEST(TrackCode, TasksAndCodeOutsideOfThemHaveBesideThemTheThreadsThatHadSomethingToRun) {
  Program program;
  program.tasks.resize(2);
  TrackCode code(program, 0, 1000, {});
  code.add(0, {{.start = 600, .end = 1000, .kind = trace::Kind::wait}, task(0, 800, 1000)});
  code.add(1, {{.start = 0, .end = 1000, .kind = trace::Kind::wait}, task(1, 0, 1000)});
  code.finish({true, true});
  EXPECT_FLOAT_EQ(program.tasks[0].busy_beside, 1);
  EXPECT_FLOAT_EQ(program.tasks[1].busy_beside, 0.8F);
  EXPECT_FLOAT_EQ(program.tasks[1].beside, 0.2F);
  EXPECT_FLOAT_EQ(program.busy_beside, 1);
}

TEST(TrackCode, ATaskHasBesideItThePartOfACopyThatWasMadeWhileItRan) {
  Program program;
  program.tasks.resize(2);
  TrackCode code(program, 0, 1000, {});
  code.add(0, {task(0, 0, 500), task(1, 500, 1000)});
  code.add({.start = 400, .end = 800, .bytes = 4000});
  code.finish({true, true});
  EXPECT_FLOAT_EQ(program.tasks[0].copied_beside, 1000);
  EXPECT_FLOAT_EQ(program.tasks[1].copied_beside, 3000);
}

}  // namespace
}  // namespace weir::sim
