#include "data/throttle.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace weir::data {
namespace {

using Seconds = std::chrono::duration<double>;

TEST(Throttle, BytesPassOneAfterTheOther) {
  Throttle throttle(1e6);
  const auto start = Throttle::Clock::now();
  const auto first = throttle.reserve(1000), second = throttle.reserve(2000);
  EXPECT_GE(first - start, std::chrono::milliseconds(1));
  EXPECT_DOUBLE_EQ(Seconds(second - first).count(), 0.002);
}

TEST(Throttle, ChargeReturnsNotBeforeItsTurnHasPassed) {
  Throttle throttle(1e6);
  const auto start = Throttle::Clock::now();
  throttle.charge(3000);
  EXPECT_GE(Throttle::Clock::now() - start, std::chrono::milliseconds(3));
}

TEST(Throttle, IdleTimeIsNotSavedUp) {
  Throttle throttle(1e6);
  const auto end = throttle.reserve(500);
  Throttle::wait_until(end + std::chrono::milliseconds(1));
  const auto now = Throttle::Clock::now();
  EXPECT_GE(throttle.reserve(1000) - now, std::chrono::milliseconds(1));
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
  EXPECT_GE(Throttle::Clock::now() - start, std::chrono::milliseconds(4));
}

TEST(Throttle, NothingCostsNothing) {
  Throttle throttle(1);
  throttle.charge(0);
}

}  // namespace
}  // namespace weir::data
