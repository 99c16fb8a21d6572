// SPDX-License-Identifier: Apache-2.0

#include "base/joined.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using weir::base::joined;

TEST(Joined, PutsTheSeparatorBetweenEachTwo) {
  EXPECT_EQ(joined(std::vector<std::string>{"ddr", "hbm", "disk"}, ", "), "ddr, hbm, disk");
  EXPECT_EQ(joined(std::array<std::string_view, 2>{"a", "b"}, ""), "ab");
}

TEST(Joined, NothingAndOneHaveNoSeparator) {
  EXPECT_EQ(joined(std::vector<int>{}, ", "), "");
  EXPECT_EQ(joined(std::vector<int>{7}, ", "), "7");
}

TEST(Joined, AnEmptyTextIsAnItem) { EXPECT_EQ(joined(std::vector<std::string>{"", "", "x"}, ","), ",,x"); }

TEST(Joined, WritesEachKindOfWholeNumber) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(joined(std::span(&most, 1), " x "), "18446744073709551615");
  EXPECT_EQ(joined(std::vector<std::int64_t>{least, -1}, " x "), "-9223372036854775808 x -1");
}

TEST(Joined, TakesCharacterPointers) {
  const char* const words[] = {"one", "two"};
  EXPECT_EQ(joined(words, "|"), "one|two");
}

}  // namespace
