// SPDX-License-Identifier: Apache-2.0

#include "sim/page_times.hpp"

#include <gtest/gtest.h>

namespace weir::sim {
namespace {

TEST(PageTimes, AreThoseOfTheSameBytes) {
  PageTimes times;
  times.add(100, 1000);
  times.add(300, 300);
  EXPECT_DOUBLE_EQ(times.ns_between(0, 100), 1000);
  EXPECT_DOUBLE_EQ(times.ns_between(100, 400), 300);
  EXPECT_DOUBLE_EQ(times.ns_between(50, 200), 500 + 100);
  EXPECT_DOUBLE_EQ(times.ns_between(120, 220), 100);
  EXPECT_DOUBLE_EQ(times.ns_between(100, 100), 0);
}

TEST(PageTimes, AreTheAverageBeyondWhatIsKnown) {
  PageTimes times;
  times.add(100, 1000);
  times.add(300, 1000);
  EXPECT_EQ(times.bytes(), 400u);
  EXPECT_EQ(times.ns(), 2000u);
  EXPECT_DOUBLE_EQ(times.ns_per_byte(), 5);
  EXPECT_DOUBLE_EQ(times.ns_between(400, 500), 500);
  EXPECT_DOUBLE_EQ(times.ns_between(100, 410), 1000 + 50);
  EXPECT_DOUBLE_EQ(PageTimes(2).ns_between(1000, 1010), 20);
  EXPECT_DOUBLE_EQ(PageTimes().ns_between(0, 1000), 0);
}

}  // namespace
}  // namespace weir::sim
