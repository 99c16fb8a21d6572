// SPDX-License-Identifier: Apache-2.0

// Tasks of workers that die run again on others; and the master runs tasks where it waits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <functional>

#include "processes.hpp"

namespace weir::island {
namespace {

using testing::HasSubstr;

class AWorkerDies : public testing::TestWithParam<IslandMemory> {};
INSTANTIATE_TEST_SUITE_P(Kinds, AWorkerDies, testing::Values(IslandMemory::coherent, IslandMemory::checked));

TEST_P(AWorkerDies, ItsTasksRunElsewhereAndTheResultIsTheSame) {
  Token token;
  token.close_writing();
  Master master(options_of(3, GetParam()), {1, 0});
  auto* const x = master.allocate<unsigned>(16 * 4);
  auto* const sum = master.allocate<unsigned>(1);
  const int reading = token.reading();
  for (unsigned i = 0; i < 200; ++i) {
    master.spawn(inout(x[16 * (i % 4)]), reduce(*sum, std::plus<>(), 0u),
                 [i, reading](unsigned& value, unsigned& copy) {
                   value = 3 * value + i;
                   copy += i;
                   if (i == 101 && take(reading)) ::raise(SIGKILL);  // in the middle
                 });
  }
  master.wait();
  for (unsigned chain = 0; chain < 4; ++chain) {
    unsigned expected = 0;
    for (unsigned i = chain; i < 200; i += 4) expected = 3 * expected + i;
    EXPECT_EQ(x[16 * chain], expected);
  }
  EXPECT_EQ(*sum, 199u * 200 / 2);
  EXPECT_GE(master.statistics().tasks_rerun, 1u);
  EXPECT_EQ(master.statistics().tasks_run, 200u);
}

TEST(Islands, ATaskThatKillsEachWorkerRunsAsOftenAsItMay) {
  Master master(options_of(4, IslandMemory::coherent), {2, 0});
  auto* const x = master.allocate<int>(1);
  master.spawn(inout(*x), name("killer"), [](int&) { ::raise(SIGKILL); });
  EXPECT_THAT(error_of([&] { master.wait(); }),
              testing::AllOf(HasSubstr("task 'killer'"), HasSubstr("1 task is left")));
  EXPECT_EQ(master.statistics().tasks_rerun, 2u);
}

TEST(Islands, WhenNoWorkerIsLeftItIsSaid) {
  Master master(options_of(2, IslandMemory::coherent), {1000, 0});
  auto* const x = master.allocate<int>(1);
  master.spawn(inout(*x), [](int&) { ::raise(SIGKILL); });
  EXPECT_THAT(error_of([&] { master.wait(); }), HasSubstr("ended by signal 9"));
}

// ---- The master runs tasks ----

// The only worker waits for what the task behind its own does: the master must run that one.
TEST(Islands, TheMasterRunsWhatAFullWorkerCannotTake) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  Master master(options_of(1, IslandMemory::checked), {0, 1});
  auto* const x = master.allocate<pid_t>(32);
  const int reading = ends[0], writing = ends[1];
  master.spawn(out(x[0]), [reading](pid_t& pid) { pid = take(reading) ? ::getpid() : 0; });
  master.spawn(out(x[16]), [writing](pid_t& pid) { pid = ::write(writing, "", 1) == 1 ? ::getpid() : 0; });
  master.wait();
  EXPECT_NE(x[0], 0);
  EXPECT_NE(x[0], ::getpid());
  EXPECT_EQ(x[16], ::getpid());
  EXPECT_EQ(master.statistics().master.tasks, 1u);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Islands, ATaskOnTheMasterThatThrowsIsTold) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  Master master(options_of(1, IslandMemory::coherent), {0, 1});
  Master* const self = &master;
  auto* const x = master.allocate<int>(32);
  const int reading = ends[0], writing = ends[1];
  master.spawn(out(x[0]), [reading](int& value) { value = take(reading) ? 1 : 0; });
  master.spawn(out(x[16]), name("own"), [self, writing](int&) {
    if (::write(writing, "", 1) == 1) self->spawn([] {});
  });
  EXPECT_THAT(
      error_of([&] { master.wait(); }),
      testing::AllOf(HasSubstr("task 'own', spawned at "), HasSubstr("on the master, threw: Master::spawn() within")));
  master.spawn(inout(x[0]), [](int& value) { ++value; });
  master.wait();
  EXPECT_EQ(x[0], 2);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_P(AWorkerDies, ChainsOverMasterAndWorkersGiveWhatOneAfterTheOtherGives) {
  Master master(options_of(2, GetParam()), {0, 1});
  auto* const x = master.allocate<unsigned>(16 * 6);
  for (unsigned i = 0; i < 600; ++i)
    master.spawn(inout(x[16 * (i % 6)]), [i](unsigned& value) { value = 3 * value + i; });
  master.wait();
  for (unsigned chain = 0; chain < 6; ++chain) {
    unsigned expected = 0;
    for (unsigned i = chain; i < 600; i += 6) expected = 3 * expected + i;
    EXPECT_EQ(x[16 * chain], expected);
  }
}

TEST(Islands, MasterOptionsOutOfRangeAreRefused) {
  EXPECT_THAT(error_of([] {
                Master master(options_of(1, IslandMemory::coherent), {-1, 0});
              }),
              HasSubstr("retries is -1"));
  EXPECT_THAT(error_of([] { Master master(options_of(1, IslandMemory::coherent), {0, 9}); }), HasSubstr("runs_when 9"));
}

}  // namespace
}  // namespace weir::island
