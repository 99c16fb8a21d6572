// SPDX-License-Identifier: Apache-2.0

// What a worker without work does, as tables: pure functions from a snapshot to a decision.
#include "sched/policy/idling.hpp"

#include <gtest/gtest.h>

namespace weir::sched::policy {
namespace {

TEST(IdlePolicy, LooksForAWhileThenSleepsAndLooksAgainByItselfWhereTasksAreTiny) {
  constexpr std::uint64_t kLookFor = 1000;
  struct {
    Idleness idle;
    IdleStep step;
  } const table[] = {
      {{true, false, 0, kLookFor, 0, false}, IdleStep::yield},
      {{true, true, 5000, kLookFor, 0, false}, IdleStep::yield},
      {{false, false, 0, kLookFor, 0, false}, IdleStep::pause},
      {{false, true, kLookFor - 1, kLookFor, 0, false}, IdleStep::pause},
      {{false, false, kLookFor, kLookFor, 0, false}, IdleStep::park},
      {{false, true, kLookFor, kLookFor, 0, false}, IdleStep::timed_park},
      {{false, true, kLookFor, kLookFor, kMostTimedParks - 1, false}, IdleStep::timed_park},
      {{false, true, kLookFor, kLookFor, kMostTimedParks, false}, IdleStep::park},
      {{false, true, kLookFor, kLookFor, 0, true}, IdleStep::park},
  };
  for (const auto& row : table) EXPECT_EQ(next_step(row.idle), row.step) << &row - table;
}

TEST(IdlePolicy, PausesGrowToTheirLimit) {
  EXPECT_EQ(next_pause(0), kFirstPauseNs);
  EXPECT_EQ(next_pause(kFirstPauseNs), 2 * kFirstPauseNs);
  EXPECT_EQ(next_pause(kLongestPauseNs), kLongestPauseNs);
  EXPECT_EQ(pause_for(100, false), 100u);
  EXPECT_EQ(pause_for(100, true), kTinyNs / 2) << "the owner of tiny tasks is at them";
}

TEST(IdlePolicy, TimedParksAndWatchesDoubleToTheirLimits) {
  EXPECT_EQ(next_timed_park(kFirstTimedParkNs), 2 * kFirstTimedParkNs);
  EXPECT_EQ(next_timed_park(kLongestTimedParkNs), kLongestTimedParkNs);
  EXPECT_EQ(next_watch(kFirstWatchNs), 2 * kFirstWatchNs);
  EXPECT_EQ(next_watch(kLongestWatchNs), kLongestWatchNs);
}

TEST(IdlePolicy, TheLookAfterATimedParkIsNeverLongerThanThatBeforeIt) {
  EXPECT_EQ(look_after_timed_park_ns(1000), 1000u);
  EXPECT_EQ(look_after_timed_park_ns(1000000), 2 * kTinyNs);
}

TEST(IdlePolicy, TheClockIsReadAfterEachLongTaskAndAfterSeveralShortOnes) {
  EXPECT_EQ(tasks_to_next_look(1, kAskBetweenTasksNs), 1u);
  EXPECT_EQ(tasks_to_next_look(kMostTasksBetweenLooks, kAskBetweenTasksNs), 1u);
  EXPECT_EQ(tasks_to_next_look(4, kAskBetweenTasksNs / 2 + 1), 4u);
  EXPECT_EQ(tasks_to_next_look(4, kAskBetweenTasksNs / 2), 8u);
  EXPECT_EQ(tasks_to_next_look(kMostTasksBetweenLooks, 100), kMostTasksBetweenLooks);
}

TEST(IdlePolicy, NapsOfTheOneThatKeepsAskingDoubleToALimit) {
  EXPECT_EQ(next_asking_nap(kFirstAskingNapNs), 2 * kFirstAskingNapNs);
  EXPECT_EQ(next_asking_nap(kLongestAskingNapNs), kLongestAskingNapNs);
}

TEST(CrowdPolicy, OneOfThoseThatAreTooManyWatchesTheWork) {
  EXPECT_EQ(stand_back({false, false}), StandBack::sleep);
  EXPECT_EQ(stand_back({false, true}), StandBack::sleep);
  EXPECT_EQ(stand_back({true, false}), StandBack::watch);
  EXPECT_EQ(stand_back({true, true}), StandBack::leave_work);
}

TEST(CrowdPolicy, WorkIsLeftOnlyToAWorkerThatLooksLater) {
  EXPECT_FALSE(only_own_keeps_awake({false, false}));
  EXPECT_FALSE(only_own_keeps_awake({false, true}));
  EXPECT_FALSE(only_own_keeps_awake({true, false}));
  EXPECT_TRUE(only_own_keeps_awake({true, true}));
}

TEST(IdlePolicy, AWorkerLacksItsCoreWhenItHadItForLessThanHalfOfTheTime) {
  constexpr std::uint64_t kLook = kFirstWatchNs;
  struct {
    OnItsCore seen;
    bool lacks;
  } const table[] = {
      {{kLook, 0, true}, true},      {{kLook, kLook / 2 - 1, true}, true}, {{kLook, kLook / 2, true}, false},
      {{kLook, kLook, true}, false}, {{kLook, 0, false}, false},  // it slept meanwhile
      {{kLook - 1, 0, true}, false}, {{kStaleNs, 0, true}, true},          {{kStaleNs + 1, 0, true}, false},
  };
  for (const auto& row : table) EXPECT_EQ(lacks_its_core(row.seen), row.lacks) << &row - table;
}

TEST(IdlePolicy, AWorkerThatOftenLacksItsCoreTriesItMoreRarely) {
  std::uint64_t now = 10 * Away::kLongestNs;
  Away away;
  const auto lacks_it_for = [&](std::uint64_t ns) {
    away.begin(now);
    EXPECT_FALSE(away.is_over(now, now + ns - 1));
    EXPECT_TRUE(away.is_over(now, now + ns));
    now += ns;
    away.end(now);
  };
  lacks_it_for(Away::kFirstNs);
  lacks_it_for(2 * Away::kFirstNs);  // at once again
  lacks_it_for(4 * Away::kFirstNs);
  now += 4 * Away::kFirstNs - 1;
  lacks_it_for(8 * Away::kFirstNs);
  now += 8 * Away::kFirstNs;  // it had its core for as long as it was away
  lacks_it_for(Away::kFirstNs);
  for (std::uint64_t ns = 2 * Away::kFirstNs; ns < Away::kLongestNs; ns *= 2) lacks_it_for(ns);
  lacks_it_for(Away::kLongestNs);
  lacks_it_for(Away::kLongestNs);
}

}  // namespace
}  // namespace weir::sched::policy
