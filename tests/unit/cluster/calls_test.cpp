// SPDX-License-Identifier: Apache-2.0

#include "cluster/calls.hpp"

#include <gtest/gtest.h>

namespace weir::cluster {
namespace {

TEST(CallsOfRanks, WhatBothRanksRefuseIsNoDifferenceWhicheverIsAhead) {
  Calls calls;
  calls.note_made();
  EXPECT_EQ(calls.note_refused(0, "on_rank(1)").call, 2u);
  calls.note_told({2, 0, "on_rank(2)"});
  calls.note_told({4, 0, "on_rank(2)"});
  EXPECT_FALSE(calls.find_difference(0, true));
  calls.note_made();
  EXPECT_FALSE(calls.find_difference(0, true));
  EXPECT_EQ(calls.note_refused(0, "on_rank(1)").call, 4u);
  EXPECT_FALSE(calls.find_difference(1, true));
}

TEST(CallsOfRanks, WhatBothRefuseIsNoDifferenceWhereOneHasLeftTasksOut) {
  Calls calls;
  for (int call = 0; call < 5; ++call) calls.note_made();
  calls.note_told({2, 0, "why"});
  EXPECT_FALSE(calls.find_difference(0, false));
  calls.note_refused(0, "why");
  EXPECT_FALSE(calls.find_difference(1, true));
}

TEST(CallsOfRanks, ARefusalOfTheRankBeforeIsADifferenceAtTheNextMeeting) {
  Calls calls;
  calls.note_told({2, 3, "no such rank"});
  EXPECT_FALSE(calls.find_difference(3, true));
  const auto difference = calls.find_difference(4, false);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->call, 2u);
  EXPECT_EQ(difference->why, "no such rank");
}

TEST(CallsOfRanks, ARefusalOfTheRankBeforeIsADifferenceWhenThisOneHasPassedTheCallAndNothingComes) {
  Calls calls;
  calls.note_told({2, 0, "why"});
  calls.note_made();
  EXPECT_FALSE(calls.find_difference(0, true));
  calls.note_made();
  EXPECT_FALSE(calls.find_difference(0, false));
  EXPECT_TRUE(calls.find_difference(0, true));
}

TEST(CallsOfRanks, ARefusalOfThisRankAloneIsForTheNextOneToFind) {
  Calls calls;
  EXPECT_EQ(calls.note_refused(0, "why").call, 1u);
  calls.note_made();
  EXPECT_FALSE(calls.find_difference(1, true));
  EXPECT_EQ(calls.last_refused()->why, "why");
}

}  // namespace
}  // namespace weir::cluster
