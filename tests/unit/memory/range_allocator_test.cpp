// SPDX-License-Identifier: Apache-2.0

#include "memory/range_allocator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace weir::memory {
namespace {

constexpr std::uint64_t kG = 4096;

TEST(RangeAllocator, FillsTheSpaceToTheLastGranuleAndNotBeyond) {
  RangeAllocator ranges(3 * kG, kG);
  EXPECT_EQ(ranges.allocate(2 * kG)->offset, 0U);
  EXPECT_EQ(ranges.allocate(kG)->offset, 2 * kG);
  EXPECT_FALSE(ranges.allocate(kG));
  EXPECT_EQ(ranges.used(), 3 * kG);
  EXPECT_EQ(ranges.largest_hole(), 0U);
}

TEST(RangeAllocator, RoundsUpToGranulesAndGivesNoneForNothing) {
  RangeAllocator ranges(64, 16);
  EXPECT_EQ(ranges.allocate(0), (Range{0, 16}));
  EXPECT_EQ(ranges.allocate(17), (Range{16, 32}));
  EXPECT_FALSE(ranges.allocate(17));
  EXPECT_FALSE(ranges.allocate(~std::uint64_t{0}));
  EXPECT_EQ(ranges.allocate(16), (Range{48, 16}));
}

TEST(RangeAllocator, GivesTheEndOfASpaceThatIsNoMultipleOfTheGranule) {
  RangeAllocator ranges(40, 16);
  EXPECT_EQ(ranges.allocate(32), (Range{0, 32}));
  EXPECT_FALSE(ranges.allocate(9));
  EXPECT_EQ(ranges.allocate(8), (Range{32, 8}));
  EXPECT_EQ(ranges.free(0), (Range{0, 32}));
  EXPECT_EQ(ranges.free(32), (Range{32, 8}));
  EXPECT_EQ(ranges.allocate(40), (Range{0, 40}));
}

TEST(RangeAllocator, TakesTheSmallestHoleThatFitsAndOfEqualOnesTheFirst) {
  RangeAllocator ranges(20 * kG, kG);
  std::vector<Range> all;
  for (int i = 0; i < 10; ++i) all.push_back(*ranges.allocate(2 * kG));
  for (const std::size_t i : {1, 2, 7, 5}) ranges.free(all[i].offset);
  EXPECT_EQ(ranges.allocate(kG)->offset, all[5].offset);
  EXPECT_EQ(ranges.allocate(3 * kG)->offset, all[1].offset);
}

TEST(RangeAllocator, JoinsNeighboursWhicheverIsFreedFirst) {
  for (const auto& order : {std::vector{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}}) {
    RangeAllocator ranges(3 * kG, kG);
    std::vector<Range> all;
    for (int i = 0; i < 3; ++i) all.push_back(*ranges.allocate(kG));
    for (const int i : order) EXPECT_TRUE(ranges.free(all[std::size_t(i)].offset));
    EXPECT_EQ(ranges.largest_hole(), 3 * kG);
    EXPECT_EQ(ranges.used(), 0U);
    EXPECT_EQ(ranges.peak(), 3 * kG);
  }
}

TEST(RangeAllocator, FreesOnlyWhatBeginsThereAndOnlyOnce) {
  RangeAllocator ranges(4 * kG, kG);
  const Range first = *ranges.allocate(2 * kG);
  const Range second = *ranges.allocate(kG);
  EXPECT_FALSE(ranges.free(kG)) << "inside of the first";
  EXPECT_FALSE(ranges.free(3 * kG)) << "a hole";
  EXPECT_FALSE(ranges.free(100 * kG));
  EXPECT_EQ(ranges.free(first.offset), first);
  EXPECT_FALSE(ranges.free(first.offset));
  EXPECT_EQ(ranges.free(second.offset), second);
  EXPECT_FALSE(ranges.free(second.offset));
}

TEST(RangeAllocator, KnowsFromWhereOnNothingWasEverGivenOut) {
  RangeAllocator ranges(8 * kG, kG);
  EXPECT_EQ(ranges.untouched_from(), 0U);
  ASSERT_TRUE(ranges.allocate(3 * kG));
  ASSERT_TRUE(ranges.free(0));
  ASSERT_TRUE(ranges.allocate(kG));
  EXPECT_EQ(ranges.untouched_from(), 3 * kG);
}

TEST(RangeAllocator, AlignsAndKeepsWhatLiesBeforeAndBehindFree) {
  RangeAllocator ranges(16 * kG, kG);
  ASSERT_EQ(ranges.allocate(kG)->offset, 0U);
  EXPECT_EQ(ranges.allocate(2 * kG, 8 * kG)->offset, 8 * kG);
  EXPECT_EQ(ranges.allocate(7 * kG)->offset, kG) << "the hole before it";
  EXPECT_EQ(ranges.allocate(6 * kG)->offset, 10 * kG) << "the hole behind it";
  EXPECT_EQ(ranges.used(), 16 * kG);
}

TEST(RangeAllocator, AlignsWithWhatLiesBeforeTheSpaceToAnyNumberOfGranules) {
  RangeAllocator ranges(32 * kG, kG);
  EXPECT_EQ(ranges.allocate(kG, 6 * kG, 4 * kG)->offset, 2 * kG);
  EXPECT_EQ(ranges.allocate(kG, 6 * kG, 4 * kG)->offset, 8 * kG);
  EXPECT_EQ(ranges.allocate(kG)->offset, 0U) << "the hole before it";
  EXPECT_EQ(ranges.allocate(16 * kG, 6 * kG, 4 * kG)->offset, 14 * kG);
  EXPECT_EQ(ranges.allocate(kG, 32 * kG, kG)->offset, 31 * kG);
  EXPECT_FALSE(ranges.allocate(kG, 32 * kG, kG)) << "there is one such place, and it is taken";
}

TEST(RangeAllocator, FindsTheRangeThatHasAnOffset) {
  RangeAllocator ranges(16 * kG, kG);
  EXPECT_FALSE(ranges.find(0));
  const Range first = *ranges.allocate(2 * kG), second = *ranges.allocate(3 * kG);
  EXPECT_EQ(ranges.find(0), first);
  EXPECT_EQ(ranges.find(2 * kG - 1), first);
  EXPECT_EQ(ranges.find(2 * kG), second);
  EXPECT_EQ(ranges.find(4 * kG), second);
  EXPECT_FALSE(ranges.find(5 * kG));
  EXPECT_FALSE(ranges.find(~std::uint64_t{0}));
  ranges.free(first.offset);
  EXPECT_FALSE(ranges.find(kG));
}

// A letter for each granule: obviously right, and slow.
class Oracle {
 public:
  Oracle(std::uint64_t bytes, std::uint64_t granule)
      : granule_(granule), end_(bytes), granules_((bytes + granule - 1) / granule, kFree) {}

  std::optional<Range> allocate(std::uint64_t bytes, std::uint64_t alignment) {
    bytes = std::max<std::uint64_t>(bytes, 1);
    std::optional<Range> best;
    std::uint64_t best_hole = 0;
    for (const Range hole : holes()) {
      const std::uint64_t end = hole.offset + hole.bytes;
      const std::uint64_t start = (hole.offset + alignment - 1) / alignment * alignment;
      if (start + bytes <= end && (!best || hole.bytes < best_hole)) {
        best = Range{start, std::min((bytes + granule_ - 1) / granule_ * granule_, end - start)};
        best_hole = hole.bytes;
      }
    }
    if (best) mark(*best, kTaken);
    return best;
  }
  void free(Range range) { mark(range, kFree); }
  std::uint64_t largest_hole() const {
    std::uint64_t largest = 0;
    for (const Range hole : holes()) largest = std::max(largest, hole.bytes);
    return largest;
  }

 private:
  static constexpr char kFree = '.', kTaken = 'x';

  // In their order. The string's functions are optimised, as code of a test is not.
  std::vector<Range> holes() const {
    std::vector<Range> found;
    for (std::size_t from = granules_.find(kFree), to = 0; from != std::string::npos;
         from = granules_.find(kFree, to)) {
      to = std::min(granules_.find(kTaken, from), granules_.size());
      found.push_back({from * granule_, std::min(to * granule_, end_) - from * granule_});
    }
    return found;
  }
  void mark(Range range, char letter) {
    const std::size_t count = (range.bytes + granule_ - 1) / granule_;
    granules_.replace(range.offset / granule_, count, count, letter);
  }

  std::uint64_t granule_, end_;
  std::string granules_;
};

void compare_with_the_oracle(std::uint64_t bytes, std::uint64_t granule, unsigned seed) {
  SCOPED_TRACE("granule " + std::to_string(granule) + ", seed " + std::to_string(seed));
  std::mt19937 random(seed);
  RangeAllocator ranges(bytes, granule), twin(bytes, granule);
  Oracle oracle(bytes, granule);
  std::vector<Range> held;
  std::uint64_t used = 0, peak = 0;
  for (int i = 0; i < 4000; ++i) {
    if (held.empty() || random() % 2 == 0) {
      const std::uint64_t wanted = random() % (40 * granule);
      const std::uint64_t alignment = random() % 4 == 0 ? granule << random() % 6 : 1;
      const auto range = ranges.allocate(wanted, alignment);
      ASSERT_EQ(range, oracle.allocate(wanted, alignment)) << "request " << i;
      ASSERT_EQ(range, twin.allocate(wanted, alignment)) << "equal calls give equal offsets";
      if (range) held.push_back(*range), used += range->bytes;
    } else {
      std::swap(held[random() % held.size()], held.back());
      oracle.free(held.back());
      ASSERT_EQ(ranges.free(held.back().offset), held.back());
      ASSERT_EQ(twin.free(held.back().offset), held.back());
      used -= held.back().bytes;
      held.pop_back();
    }
    peak = std::max(peak, used);
    ASSERT_EQ(ranges.used(), used);
    ASSERT_EQ(ranges.peak(), peak);
    ASSERT_EQ(ranges.largest_hole(), oracle.largest_hole());
  }
  for (const Range range : held) ASSERT_TRUE(ranges.free(range.offset));
  EXPECT_EQ(ranges.largest_hole(), bytes);
}

TEST(RangeAllocator, AgreesWithAFlagForEachGranuleInRandomHistories) {
  const unsigned random_seed = std::random_device{}();
  for (const unsigned seed : {11u, 12u, random_seed}) {
    compare_with_the_oracle(500 * kG, kG, seed);
    compare_with_the_oracle(500 * 64, 64, seed);
    compare_with_the_oracle(500 * 16 + 5, 16, seed);
  }
}

TEST(RangeAllocator, WhatAnotherHasGivenOutIsTakenAgainInAnyOrder) {
  RangeAllocator one(100 * kG, kG);
  std::vector<Range> given;
  for (int i = 0; i < 20; ++i) given.push_back(*one.allocate(3 * kG));
  for (std::size_t i = 0; i < given.size(); i += 3) one.free(given[i].offset);
  std::vector<Range> taken = one.taken();
  EXPECT_EQ(taken.size(), 13u);
  std::reverse(taken.begin(), taken.end());
  RangeAllocator other(100 * kG, kG);
  for (const Range range : taken) EXPECT_TRUE(other.take(range));
  EXPECT_EQ(other.taken(), one.taken());
  EXPECT_EQ(other.holes(), one.holes());
  EXPECT_EQ(other.used(), one.used());
  EXPECT_EQ(other.allocate(3 * kG), one.allocate(3 * kG));
}

TEST(RangeAllocator, WhatIsNotFreeIsNotTaken) {
  RangeAllocator ranges(10 * kG, kG);
  ASSERT_TRUE(ranges.take({2 * kG, 3 * kG}));
  for (const Range range : {Range{2 * kG, kG}, Range{kG, 2 * kG}, Range{4 * kG, 2 * kG}, Range{9 * kG, 2 * kG},
                            Range{20 * kG, kG}, Range{6 * kG, 0}})
    EXPECT_FALSE(ranges.take(range)) << range.offset << ' ' << range.bytes;
  EXPECT_EQ(ranges.used(), 3 * kG);
  EXPECT_TRUE(ranges.take({0, 2 * kG}));
  EXPECT_TRUE(ranges.take({5 * kG, 5 * kG}));
}

}  // namespace
}  // namespace weir::memory
