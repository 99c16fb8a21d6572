// SPDX-License-Identifier: Apache-2.0

// The policies as tables: pure functions from a snapshot to a decision.
#include <gtest/gtest.h>

#include <limits>

#include "sched/policy/steal.hpp"
#include "sched/policy/throttle.hpp"

namespace weir::sched::policy {
namespace {

TEST(StealPolicy, WhoMayStealFar) {
  struct {
    Policy policy;
    std::uint64_t searched_ns;
    bool may;
  } const table[] = {
      {Policy::flat, 0, true},      {Policy::numa, 0, false},     {Policy::numa, 1000000000, false},
      {Policy::near, 0, false},     {Policy::near, 19999, false}, {Policy::near, 20000, true},
      {Policy::near, 500000, true},
  };
  for (const auto& row : table) EXPECT_EQ(may_steal_far({row.policy, row.searched_ns, 20000}), row.may);
}

TEST(StealPolicy, ALoneTaskAndAFewTinyOnesNeedASecondLook) {
  EXPECT_TRUE(needs_second_look({1, kUnknownPace}));
  EXPECT_FALSE(needs_second_look({2, kUnknownPace}));
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
  EXPECT_EQ(retreat_ns({1, 1, 4 * kLargeBatch / 2}, 123), 0u) << "what it gets is worth it";
}

TEST(StealPolicy, AThiefThatFoundOnlyTinyTasksKeepsAwayLongerEachTime) {
  EXPECT_EQ(retreat_ns({0, 0}, 123), 123u) << "nothing learnt";
  EXPECT_EQ(retreat_ns({10, 10 * kTinyStolenNs}, kLongestRetreatNs), 0u) << "worth it";
  EXPECT_EQ(retreat_ns({100, 100, kLargeBatch}, 123), 0u) << "many at once are worth it";
  std::uint64_t before = 0;
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t now = retreat_ns({100, 100}, before);
    EXPECT_GE(now, before);
    EXPECT_GE(now, kFirstRetreatNs);
    EXPECT_LE(now, kLongestRetreatNs);
    before = now;
  }
  EXPECT_EQ(before, kLongestRetreatNs);
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
      {kUnknownPace, kTinyStolenNs - 1, false, kTinyStolenNs - 1},
      {kUnknownPace, kTinyStolenNs, true, kTinyStolenNs},
  };
  for (const auto& row : table) {
    const Spoils spoils{10, 10 * row.stolen, 1, row.home};
    EXPECT_EQ(are_worth_it(spoils), row.worth) << row.home << " at home, " << row.stolen << " stolen";
    EXPECT_EQ(measured_pace(spoils), row.measured) << row.home << " at home, " << row.stolen << " stolen";
  }
  EXPECT_TRUE(are_worth_it({10, 10, kLargeBatch, 1})) << "many at once are, however short";
}

TEST(StealPolicy, AWakeUpMustBeWorthWhatItCosts) {
  EXPECT_TRUE(is_worth_waking({1, kUnknownPace}));
  EXPECT_TRUE(is_worth_waking({1, kTinyTaskNs})) << "not tiny";
  EXPECT_FALSE(is_worth_waking({1, 50}));
  EXPECT_FALSE(is_worth_waking({999, 50}));
  EXPECT_TRUE(is_worth_waking({1000, 50})) << "many tiny ones are worth it";
}

TEST(ThrottlePolicy, RunsFewBetweenTwoSpawnsWhileTasksAreLong) {
  EXPECT_EQ(throttle_step({0, 50}), kThrottleStep);
  EXPECT_EQ(throttle_step({0, kTinyTaskNs}), kShortThrottleStep);
  EXPECT_EQ(throttle_step({0, kUnknownPace}), kShortThrottleStep);
}

TEST(ThrottlePolicy, WhatTasksTakeIsMeasuredOnThoseThatItRanItself) {
  EXPECT_EQ(measured_pace({4, 8000, true}, 77), 2000u);
  EXPECT_EQ(measured_pace({0, 8000, true}, 77), 77u) << "nothing learnt";
  EXPECT_EQ(measured_pace({0, 8000, true}, kUnknownPace), kUnknownPace);
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

}  // namespace
}  // namespace weir::sched::policy
