// SPDX-License-Identifier: Apache-2.0

#include "placer/ranges.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace weir::placer {
namespace {

TEST(Ranges, FindsWhatBeginsAtAnAddressAndNothingElse) {
  Ranges ranges;
  ASSERT_TRUE(ranges.add({4096, 8192}));
  EXPECT_EQ(ranges.beginning_at(4096).size(), 4096u);
  EXPECT_EQ(ranges.beginning_at(4097).size(), 0u);
  EXPECT_EQ(ranges.beginning_at(8192).size(), 0u);
  EXPECT_EQ(ranges.take(5000).size(), 0u);
  EXPECT_EQ(ranges.take(4096).end, 8192u);
  EXPECT_EQ(ranges.beginning_at(4096).size(), 0u);
}

TEST(Ranges, ForgetsRangesThatANewOneOverlaps) {
  Ranges ranges;
  for (std::uintptr_t begin = 0; begin < 10; ++begin) ASSERT_TRUE(ranges.add({begin * 10, begin * 10 + 10}));
  ASSERT_TRUE(ranges.add({15, 35}));
  EXPECT_EQ(ranges.at_or_after(0).end, 10u);
  EXPECT_EQ(ranges.at_or_after(10).begin, 15u);
  EXPECT_EQ(ranges.at_or_after(35).begin, 40u);
}

TEST(Ranges, KeepRoomForWhatIsPutBack) {
  Ranges ranges;
  constexpr std::uintptr_t kFirstCapacity = 4096;
  for (std::uintptr_t i = 1; i <= kFirstCapacity; ++i) ASSERT_TRUE(ranges.add({i * 4096, i * 4096 + 4096}));
  EXPECT_EQ(ranges.take_for_now(5).size(), 0u);
  EXPECT_EQ(ranges.take_for_now(4096).end, 8192u);
  ASSERT_TRUE(ranges.add({0, 4096}));  // the table grows: the room that is left is kept
  ranges.put_back({8192 * 4096, 8193 * 4096});
  EXPECT_EQ(ranges.beginning_at(4096).size(), 0u);
  EXPECT_EQ(ranges.beginning_at(8192 * 4096).size(), 4096u);
  EXPECT_EQ(ranges.beginning_at(kFirstCapacity * 4096).size(), 4096u);
  EXPECT_TRUE(ranges.can_be_read());
  ranges.hold();
  EXPECT_FALSE(ranges.can_be_read());
  ranges.release();
}

TEST(Ranges, AreRightForThousandsInAnyOrder) {
  Ranges ranges;
  std::map<std::uintptr_t, std::uintptr_t> expected;
  std::mt19937_64 random(23);
  for (int step = 0; step < 20'000; ++step) {
    const std::uintptr_t begin = random() % 16'384 * 4096;
    if (expected.count(begin) != 0) {
      EXPECT_EQ(ranges.take(begin).end, expected[begin]);
      expected.erase(begin);
    } else {
      ASSERT_TRUE(ranges.add({begin, begin + 4096}));
      expected[begin] = begin + 4096;
    }
    const std::uintptr_t probe = random() % 16'384 * 4096;
    const auto next = expected.lower_bound(probe);
    EXPECT_EQ(ranges.at_or_after(probe).begin, next == expected.end() ? 0 : next->first);
  }
  EXPECT_GT(expected.size(), 4096u);
}

}  // namespace
}  // namespace weir::placer
