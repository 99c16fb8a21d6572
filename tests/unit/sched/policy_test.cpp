// SPDX-License-Identifier: Apache-2.0

// What is worth stealing, and how far a thread may spawn ahead, as tables: pure functions from a snapshot to a
// decision.
#include <gtest/gtest.h>

#include <limits>

#include "sched/policy/steal.hpp"
#include "sched/policy/throttle.hpp"

namespace weir::sched::policy {
namespace {

TEST(StealPolicy, ALoneTaskAndAFewTinyOnesNeedASecondLook) {
  EXPECT_TRUE(needs_second_look({1, kUnknownGrain}));
  EXPECT_FALSE(needs_second_look({2, kUnknownGrain}));
  EXPECT_FALSE(needs_second_look({1, kTinyTaskNs})) << "known to be worth it";
  EXPECT_TRUE(needs_second_look({kFewTiny - 1, kTinyTaskNs - 1}));
  EXPECT_FALSE(needs_second_look({kFewTiny, kTinyTaskNs - 1}));
}

TEST(StealPolicy, TheSecondLookAllowsWhatHasNotMoved) {
  const Victim large{1, 1000000};
  const Look earlier{3, 77, 10, 5000};
  EXPECT_TRUE(has_lain_long_enough(large, earlier, {3, 77, 10, 5000 + kLoneNs}));
  EXPECT_FALSE(has_lain_long_enough(large, earlier, {3, 77, 10, 5000 + kLoneNs - 1})) << "too soon";
  EXPECT_FALSE(has_lain_long_enough(large, earlier, {3, 78, 10, 5000 + kLoneNs})) << "something moved";
  EXPECT_FALSE(has_lain_long_enough(large, earlier, {4, 77, 10, 5000 + kLoneNs})) << "another victim";
  EXPECT_FALSE(has_lain_long_enough(large, earlier, {3, 77, 10 + kBusySpawns, 5000 + kLoneNs})) << "it spawns";
  EXPECT_FALSE(has_lain_long_enough(large, Look{}, {3, 0, 0, 5000})) << "no first look";
  const Victim tiny{5, 0};
  EXPECT_FALSE(has_lain_long_enough(tiny, earlier, {3, 77, 10, 5000 + kTinyNs - 1}));
  EXPECT_TRUE(has_lain_long_enough(tiny, earlier, {3, 77, 10, 5000 + kTinyNs}));
}

TEST(StealPolicy, AThiefAsksAgainWhereHalfIsALargeBatch) {
  EXPECT_TRUE(has_more_to_steal({4 * kLargeBatch, 0}));
  EXPECT_FALSE(has_more_to_steal({4 * kLargeBatch - 1, 0})) << "the victim will soon run those itself";
  EXPECT_EQ(steal_backoff_ns({1, 1, 4 * kLargeBatch / 2}, 123), 0u) << "what it gets is worth it";
}

TEST(StealPolicy, AThiefTakesFromWhatTheVictimComesToLast) {
  struct {
    Stock victim;
    bool deque, batch, mailbox;
  } const table[] = {
      {{0, 0}, false, false, true},
      {{0, 3}, false, true, false},
      {{5, 0}, true, false, false},
      {{5, 3}, true, false, false},
  };
  for (const auto& row : table) {
    EXPECT_TRUE(steals_from(Source::overflow, row.victim));
    EXPECT_EQ(steals_from(Source::deque, row.victim), row.deque);
    EXPECT_EQ(steals_from(Source::batch, row.victim), row.batch);
    EXPECT_EQ(steals_from(Source::mailbox, row.victim), row.mailbox);
    EXPECT_FALSE(steals_from(Source::next, row.victim)) << "it is the victim's alone";
  }
  EXPECT_FALSE(may_take_mail(kLoneNs - 1)) << "the worker that it was sent to may be about to take it";
  EXPECT_TRUE(may_take_mail(kLoneNs));
}

TEST(StealPolicy, AFirstLookBeginsAnewWhenSomethingMoved) {
  const Look earlier{3, 77, 10, 5000};
  EXPECT_FALSE(is_new_first_look(earlier, {3, 77, 10, 5001}));
  EXPECT_TRUE(is_new_first_look(earlier, {4, 77, 10, 5001}));
  EXPECT_TRUE(is_new_first_look(earlier, {3, 78, 10, 5001}));
  EXPECT_TRUE(is_new_first_look(earlier, {3, 77, 10 + kBusySpawns, 5001}));
}

TEST(StealPolicy, AThreadThatHasUsedAQuarterOfItsStackIsDeep) {
  EXPECT_FALSE(is_deep({1000, 1000}));
  EXPECT_FALSE(is_deep({750, 1000}));
  EXPECT_TRUE(is_deep({749, 1000}));
}

TEST(StealPolicy, ADeepThreadLeavesTasksToOthersForAWhileOnly) {
  EXPECT_TRUE(leaves_to_others({749, 1000}, 0));
  EXPECT_TRUE(leaves_to_others({749, 1000}, kDeepNs - 1));
  EXPECT_FALSE(leaves_to_others({749, 1000}, kDeepNs));
  EXPECT_FALSE(leaves_to_others({750, 1000}, 0));
}

TEST(StealPolicy, AThiefThatFoundOnlyTinyTasksKeepsAwayLongerEachTime) {
  EXPECT_EQ(steal_backoff_ns({0, 0}, 123), 123u) << "nothing learnt";
  EXPECT_EQ(steal_backoff_ns({10, 10 * kTinyStolenNs}, kLongestBackoffNs), 0u) << "worth it";
  EXPECT_EQ(steal_backoff_ns({100, 100, kLargeBatch}, 123), 0u) << "many at once are worth it";
  std::uint64_t before = 0;
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t now = steal_backoff_ns({100, 100}, before);
    EXPECT_GE(now, before);
    EXPECT_GE(now, kFirstBackoffNs);
    EXPECT_LE(now, kLongestBackoffNs);
    before = now;
  }
  EXPECT_EQ(before, kLongestBackoffNs);
}

TEST(StealPolicy, WhatTasksTakeAtHomeTellsLongOnesFromThoseThatAThiefMakesLong) {
  struct {
    std::uint64_t home, stolen;  // ns
    bool worth;
    std::uint64_t measured;
  } const table[] = {
      {50, 500, false, 50},    // a chain that a thief trails
      {300, 450, true, 450},   // lines cost some of it
      {200, 240, false, 240},  // tiny, and moved quickly
      {300, 901, false, 300},  // lines cost most of it
      {5000, 300, true, 300},  // these are shorter than those at home
      {kUnknownGrain, kTinyStolenNs - 1, false, kTinyStolenNs - 1},
      {kUnknownGrain, kTinyStolenNs, true, kTinyStolenNs},
  };
  for (const auto& row : table) {
    const StolenBatch batch{10, 10 * row.stolen, 1, row.home};
    EXPECT_EQ(is_worth_it(batch), row.worth) << row.home << " at home, " << row.stolen << " stolen";
    EXPECT_EQ(measured_grain(batch), row.measured) << row.home << " at home, " << row.stolen << " stolen";
  }
  EXPECT_TRUE(is_worth_it({10, 10, kLargeBatch, 1})) << "many at once are, however short";
}

TEST(ThrottlePolicy, RunsFewBetweenTwoSpawnsWhileTasksAreLong) {
  EXPECT_EQ(throttle_step({0, 50}), kThrottleStep);
  EXPECT_EQ(throttle_step({0, kTinyTaskNs}), kShortThrottleStep);
  EXPECT_EQ(throttle_step({0, kUnknownGrain}), kShortThrottleStep);
}

TEST(ThrottlePolicy, RunsWhatOthersWaitForBeforeItSpawnsAgain) {
  const Room room = room_within({256, 16384, 2}, 300, 3);
  EXPECT_TRUE(spawns_again(room, 256 - kShortThrottleStep + 3, false)) << "it would search";
  EXPECT_FALSE(spawns_again(room, 257 - kShortThrottleStep + 3, false));
  EXPECT_FALSE(spawns_again(room, 256 - kShortThrottleStep + 3, true));
  EXPECT_TRUE(spawns_again(room, 128 + 3, true)) << "the others may soon find nothing";
}

TEST(ThrottlePolicy, PutsSpawningOffForAWhileOnly) {
  EXPECT_EQ(put_off_tasks({256, 16384, 2}, kTinyTaskNs), 128) << "half of the window";
  EXPECT_EQ(put_off_tasks({256, 16384, 2}, 1000), 50);
  EXPECT_EQ(put_off_tasks({256, 16384, 2}, 1000000), kShortThrottleStep);
  EXPECT_EQ(put_off_tasks({4, 4, 2}, 1000), kShortThrottleStep);
  EXPECT_EQ(room_within({4, 4, 2}, 1000, 0).with_some_at_hand, 0) << "a limit below one step";
}

TEST(ThrottlePolicy, SpawnsAgainAsSoonAsThereIsRoomWhereNoOtherWorkerTakesItsTasks) {
  struct Row {
    std::uint64_t grain_ns;
    int workers;
  };
  for (const auto& [grain_ns, workers] : {Row{500, 1}, Row{kTinyTaskNs - 1, 2}, Row{kUnknownGrain, 2}}) {
    const Room room = room_within({256, 16384, workers}, grain_ns, 0);
    EXPECT_EQ(room.with_none_at_hand, 256 - throttle_step({0, grain_ns}))
        << grain_ns << " ns, " << workers << " workers";
    EXPECT_EQ(room.with_some_at_hand, room.with_none_at_hand) << grain_ns << " ns, " << workers << " workers";
  }
}

TEST(ThrottlePolicy, WhatTasksTakeIsMeasuredOnThoseThatItRanItself) {
  EXPECT_EQ(measured_grain({4, 8000, true}, 77), 2000u);
  EXPECT_EQ(measured_grain({0, 8000, true}, 77), 77u) << "nothing learnt";
  EXPECT_EQ(measured_grain({0, 8000, true}, kUnknownGrain), kUnknownGrain);
}

TEST(ThrottlePolicy, StartsWithAWindowThatFitsTheCacheAndTheOption) {
  EXPECT_EQ(first_limit(16384, 1), kNearWindow);
  EXPECT_EQ(first_limit(10, 1), 10);
  EXPECT_GE(first_limit(16384, 64), 64 * kThrottleStep) << "more than all workers may hold back";
  EXPECT_EQ(first_limit(0, 1), std::numeric_limits<std::int64_t>::max());
}

TEST(ThrottlePolicy, TheWindowGrowsWhileTasksAreLongAndSomebodyIsIdle) {
  const Drained long_idle{10, 100000, true}, long_busy{10, 100000, false}, short_idle{1000, 10000, true};
  EXPECT_EQ(next_limit({256, 16384, 2}, long_idle), 512);
  EXPECT_EQ(next_limit({16384, 16384, 2}, long_idle), 16384);
  EXPECT_EQ(next_limit({1024, 16384, 2}, long_busy), 1024);
  EXPECT_EQ(next_limit({1024, 16384, 2}, short_idle), first_limit(16384, 2));
  EXPECT_EQ(next_limit({10, 10, 2}, long_idle), 10);
}

TEST(ThrottlePolicy, LooksFurtherAheadWhereTasksAreLongAndWaitForOneOtherAtMost) {
  const Drained chains{10, 100000, false, kManyInOrder - 1}, in_order{10, 100000, false, kManyInOrder};
  const Drained shorter{30, 100000, false, 0}, none{0, 100000, false, 0};
  EXPECT_EQ(further_than(256, {256, 16384, 2}, chains), 256);
  EXPECT_EQ(further_than(256, {512, 16384, 2}, chains), 768) << "the limit is 1024";
  EXPECT_EQ(further_than(256, {16384, 16384, 2}, chains), 16384 - 256);
  EXPECT_EQ(further_than(256, {256, 256, 2}, chains), 0);
  EXPECT_EQ(further_than(256, {4096, 16384, 2}, in_order), 0);
  EXPECT_EQ(further_than(256, {4096, 16384, 2}, shorter), 0);
  EXPECT_EQ(further_than(256, {4096, 16384, 2}, none), 4096 - 256) << "others have run all: nothing learnt";
}

TEST(ThrottlePolicy, WhereNothingEndsTheWindowGrowsFasterEachTimeAndShrinksAgain) {
  const int workers = 2;
  const std::int64_t most = 300, first = first_limit(most, workers);
  std::int64_t limit = first, before = 0;
  for (int round = 0; round < 5; ++round) {
    const std::int64_t next = limit_at_standstill({limit, most, workers}, limit);
    EXPECT_GE(next - limit, std::max(kThrottleStep, before));
    before = next - limit;
    limit = next;
  }
  EXPECT_GE(limit - first, 16 * kThrottleStep);
  EXPECT_EQ(limit_at_standstill({1, 1, 1}, 2), 2 + kThrottleStep);
  EXPECT_EQ(next_limit({limit, most, workers}, {10, 100000, false}), most);
  EXPECT_EQ(next_limit({limit, most, workers}, {0, 100000, true}), first);
}

}  // namespace
}  // namespace weir::sched::policy
