// SPDX-License-Identifier: Apache-2.0

#include "memory/throttle.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace weir::memory {
namespace {

using Seconds = std::chrono::duration<double>;
using std::chrono::milliseconds;

constexpr auto kSaved = std::chrono::microseconds(100);           // of idle time
constexpr auto kEarly = kSaved + std::chrono::microseconds(100);  // and what a caller may owe

TEST(Throttle, BytesPassOneAfterTheOther) {
  Throttle throttle(1e6);
  const auto start = Throttle::Clock::now();
  const auto first = throttle.reserve(1000), second = throttle.reserve(2000);
  EXPECT_GE(first - start, milliseconds(1) - kSaved);
  EXPECT_DOUBLE_EQ(Seconds(second - first).count(), 0.002);
}

TEST(Throttle, ChargeReturnsWhenItsTurnHasPassed) {
  Throttle throttle(1e6);
  const auto start = Throttle::Clock::now();
  throttle.charge(3000);
  EXPECT_GE(Throttle::Clock::now() - start, milliseconds(3) - kEarly);
}

TEST(Throttle, NoMoreIdleTimeIsSavedUp) {
  Throttle throttle(1e6);
  const auto end = throttle.reserve(500);
  Throttle::wait_until(end + milliseconds(1));
  const auto now = Throttle::Clock::now();
  EXPECT_GE(throttle.reserve(1000) - now, milliseconds(1) - kSaved);
}

TEST(Throttle, ThreadsShareTheRate) {
  Throttle throttle(1e6);
  const auto start = Throttle::Clock::now();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 5; ++k) throttle.charge(200);
      });
    }
  }
  EXPECT_GE(Throttle::Clock::now() - start, milliseconds(4) - kEarly);
}

// Each less than anybody sleeps.
TEST(Throttle, SmallChargesAddUp) {
  Throttle throttle(1e6);
  const auto start = Throttle::Clock::now();
  for (int i = 0; i < 400; ++i) throttle.charge(10);
  EXPECT_GE(Throttle::Clock::now() - start, milliseconds(4) - kEarly);
}

TEST(Throttle, NothingCostsNothing) {
  Throttle throttle(1);
  const auto start = Throttle::Clock::now();
  for (int i = 0; i < 100; ++i) throttle.charge(0);
  EXPECT_LT(Throttle::Clock::now() - start, std::chrono::seconds(100)) << "each has cost as much as a byte";
}

}  // namespace
}  // namespace weir::memory
