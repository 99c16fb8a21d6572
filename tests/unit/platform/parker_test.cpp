// SPDX-License-Identifier: Apache-2.0

// Parker and the asymmetric barrier.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "platform/barrier.hpp"
#include "platform/futex.hpp"

namespace weir::platform {
namespace {

TEST(Parker, AnEarlyUnparkIsKept) {
  Parker parker;
  parker.unpark();
  parker.unpark();
  parker.park();
  EXPECT_FALSE(parker.park_for(1000)) << "the second was another token";
}

TEST(Parker, AParkWithATimeEndsByItself) {
  Parker parker;
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(parker.park_for(1000));
  parker.unpark();
  EXPECT_TRUE(parker.park_for(std::uint64_t{3600} * 1000000000));
}

TEST(Parker, PingPong) {
  Parker left, right;
  int ball = 0;  // handed over by the parkers: ThreadSanitizer sees it if they do not
  constexpr int kRounds = 2000;
  std::thread other([&] {
    for (int i = 0; i < kRounds; ++i) {
      right.park();
      ++ball;
      left.unpark();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    EXPECT_EQ(ball, i);
    right.unpark();
    left.park();
  }
  other.join();
  EXPECT_EQ(ball, kRounds);
}

// Dekker's pattern: each side stores, then looks at what the other stored. Not both may miss it.
TEST(Barrier, OneOfTwoSidesSeesTheOther) {
  for (int round = 0; round < 300; ++round) {
    std::atomic<int> x{0}, y{0}, start{0};
    bool heavy_saw = false;
    std::thread other([&] {
      ++start;
      while (start != 2) {
      }
      x.store(1, std::memory_order_relaxed);
      heavy_barrier();
      heavy_saw = y.load(std::memory_order_relaxed) == 1;
    });
    ++start;
    while (start != 2) {
    }
    y.store(1, std::memory_order_relaxed);
    light_barrier();
    const bool light_saw = x.load(std::memory_order_relaxed) == 1;
    other.join();
    EXPECT_TRUE(heavy_saw || light_saw);
  }
}

}  // namespace
}  // namespace weir::platform
