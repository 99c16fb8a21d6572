// SPDX-License-Identifier: Apache-2.0

#include "memory/file_ranges.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace weir::memory {
namespace {

constexpr std::uint64_t kGranule = 4096;

bool overlap(Range a, Range b) { return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes; }

std::optional<Range> take(FileRanges& ranges, std::uint64_t bytes) {
  const auto below = ranges.allocate(bytes);
  return below ? below : ranges.allocate_beyond(bytes);
}

TEST(FileRanges, HavePlaceForWhateverFitsTheBudgetHoweverItComesAndGoes) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::uint64_t granules = 1 + random() % 70;
    FileRanges ranges(granules * kGranule, kGranule);
    std::vector<Range> taken;
    std::uint64_t used = 0;
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t bytes = 1 + random() % (random() % 4 == 0 ? granules * kGranule : 3 * kGranule);
      const std::uint64_t rounded = (bytes + kGranule - 1) / kGranule * kGranule;
      if (random() % 2 == 0 && !taken.empty()) {
        std::swap(taken[random() % taken.size()], taken.back());
        used -= taken.back().bytes;
        ASSERT_TRUE(ranges.free(taken.back()));
        taken.pop_back();
      } else if (const auto range = take(ranges, bytes)) {
        ASSERT_EQ(range->bytes, rounded);
        for (const Range other : taken) ASSERT_FALSE(overlap(*range, other));
        taken.push_back(*range);
        used += rounded;
      } else {
        ASSERT_GT(used + rounded, granules * kGranule) << "it fits";
      }
      ASSERT_EQ(ranges.used(), used);
      ASSERT_LE(used, ranges.budget());
    }
  }
}

TEST(FileRanges, LieBelowTheBudgetAsLongAsAHoleThereHasRoom) {
  FileRanges ranges(4 * kGranule, kGranule);
  const Range first = *ranges.allocate(kGranule);
  const Range second = *ranges.allocate(2 * kGranule);
  ASSERT_TRUE(ranges.free(first));
  EXPECT_FALSE(ranges.allocate(2 * kGranule)) << "two are free, in pieces";
  const Range beyond = *ranges.allocate_beyond(2 * kGranule);
  EXPECT_GE(beyond.offset, ranges.budget());
  EXPECT_FALSE(ranges.allocate(kGranule)) << "a hole is there, but no budget";
  EXPECT_FALSE(ranges.allocate_beyond(2 * kGranule));
  ASSERT_TRUE(ranges.free(second));
  EXPECT_LT(ranges.allocate(2 * kGranule)->offset, ranges.budget());
}

TEST(FileRanges, AreFreedOnceAndAsTheyWereGiven) {
  FileRanges ranges(4 * kGranule, kGranule);
  const Range below = *ranges.allocate(kGranule), beyond = *ranges.allocate_beyond(3 * kGranule);
  EXPECT_FALSE(ranges.free({below.offset + kGranule, kGranule}));
  EXPECT_TRUE(ranges.free(below));
  EXPECT_FALSE(ranges.free(below));
  EXPECT_TRUE(ranges.free(beyond));
  EXPECT_FALSE(ranges.free(beyond));
  EXPECT_EQ(ranges.used(), 0U);
  EXPECT_EQ(ranges.peak(), 4 * kGranule);
}

TEST(FileRanges, OfABudgetOfOneGranuleHaveNothingBeyondIt) {
  FileRanges ranges(kGranule, kGranule);
  EXPECT_FALSE(ranges.allocate_beyond(1));
  EXPECT_TRUE(ranges.allocate(1));
}

}  // namespace
}  // namespace weir::memory
