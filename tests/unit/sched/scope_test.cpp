// SPDX-License-Identifier: Apache-2.0

#include "sched/scope.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace weir::sched {
namespace {

using Done = Scope::Done;

void spawn(Scope& scope, int count) {
  for (int i = 0; i < count; ++i) scope.count_spawned();
}

TEST(Scope, CountsWhatEndsHereAndElsewhere) {
  Scope scope;
  spawn(scope, 5);
  EXPECT_EQ(scope.unfinished(), 5);
  EXPECT_TRUE(scope.try_count_ended_here());
  EXPECT_EQ(scope.subtract(2).done, Done::no);
  EXPECT_EQ(scope.unfinished(), 2);
  EXPECT_EQ(scope.subtract(2).done, Done::no) << "nobody asked to be told";
  EXPECT_EQ(scope.unfinished(), 0);
}

TEST(Scope, ArmedWithNothingLeftIsDoneAtOnce) {
  Scope scope;
  EXPECT_EQ(scope.arm_for_wait(), Done::wake_owner);
  scope.reset();
  spawn(scope, 2);
  EXPECT_EQ(scope.subtract(1).done, Done::no);
  EXPECT_TRUE(scope.try_count_ended_here());
  EXPECT_EQ(scope.arm_for_wait(), Done::wake_owner);
}

TEST(Scope, TheLastToEndAfterArmingWakesTheOwner) {
  Scope scope;
  spawn(scope, 3);
  EXPECT_TRUE(scope.try_count_ended_here());
  EXPECT_EQ(scope.arm_for_wait(), Done::no);
  EXPECT_EQ(scope.arm_for_wait(), Done::no) << "arming twice counts once";
  EXPECT_FALSE(scope.try_count_ended_here()) << "from now on by subtract()";
  EXPECT_EQ(scope.subtract(1).done, Done::no);
  EXPECT_EQ(scope.unfinished(), 1);
  EXPECT_EQ(scope.subtract(1).done, Done::wake_owner);
  EXPECT_EQ(scope.unfinished(), 0);
}

TEST(Scope, CanBeUsedAgainAfterReset) {
  Scope scope;
  for (int round = 0; round < 3; ++round) {
    spawn(scope, 2);
    EXPECT_EQ(scope.arm_for_wait(), Done::no);
    EXPECT_EQ(scope.subtract(2).done, Done::wake_owner);
    scope.reset();
    EXPECT_EQ(scope.unfinished(), 0);
    EXPECT_TRUE((scope.count_spawned(), scope.try_count_ended_here()));
  }
}

TEST(Scope, ADetachedParentIsEndedByTheLastChild) {
  Scope scope;
  spawn(scope, 2);
  EXPECT_EQ(scope.detach(), Done::no);
  EXPECT_EQ(scope.subtract(1).done, Done::no);
  EXPECT_EQ(scope.subtract(1).done, Done::end_parent);
}

TEST(Scope, ADetachedParentWithoutChildrenLeftIsEndedByItself) {
  Scope scope;
  spawn(scope, 1);
  EXPECT_TRUE(scope.try_count_ended_here());
  EXPECT_EQ(scope.detach(), Done::end_parent);
}

TEST(Scope, ProgressIsReportedWhileItIsAskedFor) {
  Scope scope;
  spawn(scope, 4);
  EXPECT_FALSE(scope.subtract(1).progress);
  scope.notify_progress(true);
  EXPECT_TRUE(scope.subtract(1).progress);
  EXPECT_EQ(scope.unfinished(), 2);
  scope.notify_progress(false);
  EXPECT_FALSE(scope.subtract(1).progress);
  EXPECT_EQ(scope.arm_for_wait(), Done::no);
  EXPECT_EQ(scope.subtract(1).done, Done::wake_owner);
}

TEST(Scope, ExceedsItsLimitOnlyByTheNewestLookAtWhatOthersHaveEnded) {
  Scope scope;
  scope.set_limit(10);
  spawn(scope, 10);
  EXPECT_FALSE(scope.may_exceed_limit());
  scope.set_limit(9);
  EXPECT_TRUE(scope.may_exceed_limit());
  static_cast<void>(scope.subtract(4));
  EXPECT_TRUE(scope.may_exceed_limit()) << "it has not looked since";
  EXPECT_FALSE(scope.exceeds_limit());
  spawn(scope, 3);
  EXPECT_FALSE(scope.may_exceed_limit());
  spawn(scope, 1);
  EXPECT_TRUE(scope.may_exceed_limit());
  EXPECT_TRUE(scope.exceeds_limit());
}

TEST(Scope, WithoutALimitNothingExceedsIt) {
  Scope scope;
  spawn(scope, 10);
  static_cast<void>(scope.subtract(4));
  EXPECT_TRUE(scope.exceeds_limit()) << "the limit is 0 before one is set";
  scope.set_limit(std::numeric_limits<std::int64_t>::max());
  EXPECT_FALSE(scope.may_exceed_limit());
  EXPECT_FALSE(scope.exceeds_limit());
}

std::exception_ptr make(const char* text) { return std::make_exception_ptr(std::runtime_error(text)); }

TEST(Scope, KeepsTheFirstFailureUntilItIsTaken) {
  Scope scope;
  EXPECT_FALSE(scope.failed());
  EXPECT_EQ(scope.take_failure(), nullptr);
  EXPECT_TRUE(scope.fail(make("first")));
  EXPECT_FALSE(scope.fail(make("second")));
  EXPECT_TRUE(scope.failed());
  EXPECT_NE(scope.failure(), nullptr);
  EXPECT_NE(scope.take_failure(), nullptr);
  EXPECT_FALSE(scope.failed());
  EXPECT_EQ(scope.failure(), nullptr);
  EXPECT_TRUE(scope.fail(make("third")));
}

}  // namespace
}  // namespace weir::sched
