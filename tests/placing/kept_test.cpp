// SPDX-License-Identifier: Apache-2.0

#include "placer/kept.hpp"

#include <gtest/gtest.h>

namespace weir::placer {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

Range at(std::uintptr_t begin, std::size_t size) { return {begin, begin + size}; }

TEST(Kept, GivesWhatIsOfAboutThatSize) {
  Kept kept;
  ASSERT_TRUE(kept.put(at(16 * kMiB, 8 * kMiB)));
  EXPECT_EQ(kept.take(9 * kMiB, 1).size(), 0u);
  EXPECT_EQ(kept.take(7 * kMiB, 1).size(), 0u);
  EXPECT_EQ(kept.take(8 * kMiB - 4096, 1).begin, 16 * kMiB);
  EXPECT_EQ(kept.take(8 * kMiB, 1).size(), 0u);
}

TEST(Kept, GivesWhatIsAlignedAsItIsAsked) {
  Kept kept;
  ASSERT_TRUE(kept.put(at(3 * kMiB, kMiB)));
  ASSERT_TRUE(kept.put(at(8 * kMiB, kMiB)));
  ASSERT_TRUE(kept.put(at(13 * kMiB, kMiB)));
  EXPECT_EQ(kept.take(kMiB, 4 * kMiB).begin, 8 * kMiB);
  EXPECT_EQ(kept.take(kMiB, 4 * kMiB).size(), 0u);
}

TEST(Kept, HasABoundAndGivesUpTheOldest) {
  Kept kept;
  EXPECT_EQ(kept.take_oldest().size(), 0u);
  ASSERT_TRUE(kept.put(at(100 * kMiB, Kept::kMostOfOne)));
  ASSERT_TRUE(kept.put(at(200 * kMiB, Kept::kMostBytes - Kept::kMostOfOne)));
  EXPECT_FALSE(kept.put(at(300 * kMiB, kMiB)));
  EXPECT_EQ(kept.take_oldest().begin, 100 * kMiB);
  EXPECT_TRUE(kept.put(at(300 * kMiB, kMiB)));
  int count = 2;
  while (kept.put(at((400 + static_cast<std::uintptr_t>(count)) * kMiB, 4096))) ++count;
  EXPECT_EQ(count, 32);
}

TEST(Kept, IsReadInTheOrderOfAddresses) {
  Kept kept;
  ASSERT_TRUE(kept.put(at(20 * kMiB, kMiB)));
  ASSERT_TRUE(kept.put(at(10 * kMiB, kMiB)));
  EXPECT_EQ(kept.at_or_after(0).begin, 10 * kMiB);
  EXPECT_EQ(kept.at_or_after(11 * kMiB - 1).begin, 10 * kMiB);
  EXPECT_EQ(kept.at_or_after(11 * kMiB).begin, 20 * kMiB);
  EXPECT_EQ(kept.at_or_after(21 * kMiB).end, 0u);
}

}  // namespace
}  // namespace weir::placer
