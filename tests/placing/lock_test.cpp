// SPDX-License-Identifier: Apache-2.0

#include "placer/lock.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace weir::placer {
namespace {

TEST(LockOfThePlacer, IsNotWaitedForByTheThreadThatHoldsIt) {
  Lock lock;
  lock.hold();
  EXPECT_FALSE(lock.hold_at_end());
  lock.release();
  EXPECT_TRUE(lock.hold_at_end());
  EXPECT_FALSE(lock.hold_at_end());
  lock.release();
}

TEST(LockOfThePlacer, IsWaitedForWhereAnotherThreadHoldsIt) {
  Lock lock;
  lock.hold();
  int seen = 0, written = 0;
  std::thread other([&] {
    ASSERT_TRUE(lock.hold_at_end());
    seen = written;
    lock.release();
  });
  written = 5;
  lock.release();
  other.join();
  EXPECT_EQ(seen, 5);
}

TEST(LockOfThePlacer, IsOpenInAChildOfForkAlsoWhenItWasHeld) {
  Lock lock;
  lock.hold();
  lock.open_in_child();
  EXPECT_TRUE(lock.try_hold());
  lock.release();
}

}  // namespace
}  // namespace weir::placer
