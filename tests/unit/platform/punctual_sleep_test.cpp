// SPDX-License-Identifier: Apache-2.0

#include "platform/punctual_sleep.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace weir::platform {
namespace {

// In a thread of their own, whose slack is nobody else's.
TEST(PunctualSleep, LetsSleepsLastAsLongAsBeforeWhenItEnds) {
  std::thread([] {
    ASSERT_EQ(prctl(PR_SET_TIMERSLACK, 70'000ul), 0);
    {
      const PunctualSleep punctual;
      EXPECT_EQ(prctl(PR_GET_TIMERSLACK), 1);
    }
    EXPECT_EQ(prctl(PR_GET_TIMERSLACK), 70'000);
  }).join();
}

TEST(PunctualSleep, OneInsideOfAnotherChangesNothing) {
  std::thread([] {
    ASSERT_EQ(prctl(PR_SET_TIMERSLACK, 70'000ul), 0);
    const PunctualSleep outer;
    { const PunctualSleep inner; }
    EXPECT_EQ(prctl(PR_GET_TIMERSLACK), 1);
  }).join();
}

}  // namespace
}  // namespace weir::platform
