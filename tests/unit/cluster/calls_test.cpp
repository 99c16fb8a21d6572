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
  EXPECT_FALSE(calls.find_difference(0));
  calls.note_made();
  EXPECT_FALSE(calls.find_difference(0));
  EXPECT_EQ(calls.note_refused(0, "on_rank(1)").call, 4u);
  EXPECT_FALSE(calls.find_difference(1));
}

TEST(CallsOfRanks, WhatBothRefuseIsNoDifferenceWhereOneHasLeftTasksOut) {
  Calls calls;
  for (int call = 0; call < 5; ++call) calls.note_made();
  calls.note_told({2, 0, "why"});
  EXPECT_FALSE(calls.find_difference(0));
  calls.note_refused(0, "why");
  EXPECT_FALSE(calls.find_difference(1));
}

TEST(CallsOfRanks, ARefusalOfTheRankBeforeIsADifferenceAtTheNextMeeting) {
  Calls calls;
  calls.note_told({2, 3, "no such rank"});
  EXPECT_FALSE(calls.find_difference(3));
  const auto difference = calls.find_difference(4);
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->call, 2u);
  EXPECT_EQ(difference->why, "no such rank");
}

TEST(CallsOfRanks, NumbersDoNotTellThatThisRankHasPassedACallThatItMayRefuseYet) {
  Calls calls;
  calls.note_told({2, 0, "why"});
  for (int call = 0; call < 5; ++call) calls.note_made();
  EXPECT_FALSE(calls.find_difference(0));
  ASSERT_TRUE(calls.first_unmatched());
  EXPECT_EQ(calls.first_unmatched()->call, 2u);
  calls.note_refused(0, "why");
  EXPECT_FALSE(calls.first_unmatched());
  EXPECT_FALSE(calls.find_difference(1));
}

TEST(CallsOfRanks, ARefusalOfThisRankAloneIsForTheNextOneToFind) {
  Calls calls;
  EXPECT_EQ(calls.note_refused(0, "why").call, 1u);
  calls.note_made();
  EXPECT_FALSE(calls.find_difference(1));
  EXPECT_EQ(calls.last_refused()->why, "why");
}

}  // namespace
}  // namespace weir::cluster
