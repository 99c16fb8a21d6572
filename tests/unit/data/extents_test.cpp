// SPDX-License-Identifier: Apache-2.0

#include "data/extents.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace weir::data {
namespace {

constexpr std::uint64_t kG = Extents::kGranule;

TEST(Extents, FillsTheCapacityToTheLastGranuleAndNotBeyond) {
  Extents extents(3 * kG);
  EXPECT_EQ(extents.reserve(2 * kG)->offset, 0U);
  EXPECT_EQ(extents.reserve(kG)->offset, 2 * kG);
  EXPECT_FALSE(extents.reserve(kG));
  EXPECT_EQ(extents.used(), 3 * kG);
  EXPECT_EQ(extents.largest_hole(), 0U);
}

TEST(Extents, TakesTheSmallestHoleThatFitsAndOfEqualOnesTheFirst) {
  Extents extents(20 * kG);
  std::vector<Extent> all;
  for (int i = 0; i < 10; ++i) all.push_back(*extents.reserve(2 * kG));
  extents.release(all[1]);
  extents.release(all[2]);
  extents.release(all[7]);
  extents.release(all[5]);
  EXPECT_EQ(extents.reserve(kG)->offset, all[5].offset);
  EXPECT_EQ(extents.reserve(3 * kG)->offset, all[1].offset);
}

TEST(Extents, JoinsNeighboursWhicheverIsReleasedFirst) {
  for (const auto& order : {std::vector{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}}) {
    Extents extents(3 * kG);
    std::vector<Extent> all;
    for (int i = 0; i < 3; ++i) all.push_back(*extents.reserve(kG));
    for (const int i : order) extents.release(all[i]);
    EXPECT_EQ(extents.largest_hole(), 3 * kG);
    EXPECT_EQ(extents.used(), 0U);
    EXPECT_EQ(extents.peak(), 3 * kG);
  }
}

TEST(Extents, NeverOverlapInARandomHistory) {
  constexpr unsigned kSeed = 11;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  constexpr std::uint64_t kGranules = 500;
  Extents extents(kGranules * kG);
  std::vector<bool> taken(kGranules);
  std::vector<Extent> held;
  const auto mark = [&](Extent extent, bool value) {
    for (std::uint64_t at = extent.offset; at < extent.offset + extent.bytes; at += kG) {
      ASSERT_NE(taken[at / kG], value);
      taken[at / kG] = value;
    }
  };
  for (int i = 0; i < 5000; ++i) {
    if (held.empty() || random() % 2 == 0) {
      if (const auto extent = extents.reserve((1 + random() % 40) * kG)) {
        ASSERT_NO_FATAL_FAILURE(mark(*extent, true));
        held.push_back(*extent);
      }
    } else {
      std::swap(held[random() % held.size()], held.back());
      ASSERT_NO_FATAL_FAILURE(mark(held.back(), false));
      extents.release(held.back());
      held.pop_back();
    }
  }
  for (const Extent extent : held) extents.release(extent);
  EXPECT_EQ(extents.largest_hole(), kGranules * kG);
}

TEST(ExtentsDeathTest, AnExtentReleasedTwiceIsABugOfTheCaller) {
  Extents extents(2 * kG);
  const Extent first = *extents.reserve(kG);
  [[maybe_unused]] const auto second = extents.reserve(kG);
  extents.release(first);
  EXPECT_DEATH(extents.release(first), "an extent is released once");
}

}  // namespace
}  // namespace weir::data
