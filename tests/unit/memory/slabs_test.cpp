// SPDX-License-Identifier: Apache-2.0

#include "memory/slabs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace weir::memory {
namespace {

constexpr std::uint32_t kPages = 1 << 12;

// Slabs, and the pages that they come from.
class SlabsTest : public testing::Test {
 protected:
  SlabsTest() { pages_.free(0, kPages); }

  std::uint64_t allocate(std::size_t units) {
    const std::uint64_t offset = slabs_.allocate(units);
    if (offset != Slabs::kNowhere) return offset;
    const PageHeap::Index first = pages_.allocate(Slabs::kSlabPages);
    if (first == PageHeap::kNone) return Slabs::kNowhere;
    slabs_.add(first, units);
    return slabs_.allocate(units);
  }

  PageHeap pages_{kPages};
  Slabs slabs_{kPages};
};

TEST_F(SlabsTest, ASlabIsFullOfObjectsWithoutAHeader) {
  EXPECT_EQ(Slabs::capacity(1), 256u);
  EXPECT_EQ(Slabs::capacity(63), 4u);
  for (const std::size_t units : {1u, 2u, 3u, 31u, 63u}) {
    std::set<std::uint64_t> offsets;
    for (std::size_t i = 0; i < Slabs::capacity(units); ++i) offsets.insert(allocate(units));
    EXPECT_EQ(offsets.size(), Slabs::capacity(units));
    EXPECT_EQ(slabs_.allocate(units), Slabs::kNowhere) << "the slab is full";
    std::uint64_t end = *offsets.begin();
    for (const std::uint64_t offset : offsets) {
      EXPECT_EQ(offset, end) << "objects lie side by side";
      EXPECT_EQ(slabs_.units_of(offset), units);
      end = offset + units * Slabs::kUnit;
    }
  }
}

TEST_F(SlabsTest, KnowsWhichPagesAreNotInASlab) {
  const std::uint64_t object = allocate(1);
  EXPECT_EQ(slabs_.units_of(object + Slabs::kSlabPages * Slabs::kPage), 0u);
  slabs_.free(object, 1);
  EXPECT_EQ(slabs_.units_of(object), 1u) << "an empty slab is kept";
  slabs_.trim(pages_);
  EXPECT_EQ(slabs_.units_of(object), 0u);
  EXPECT_EQ(pages_.free_pages(), kPages);
}

TEST_F(SlabsTest, TrimLeavesSlabsWithObjects) {
  const std::uint64_t kept = allocate(1), freed = allocate(2);
  slabs_.free(freed, 2);
  slabs_.trim(pages_);
  EXPECT_EQ(pages_.free_pages(), kPages - Slabs::kSlabPages);
  EXPECT_EQ(slabs_.units_of(kept), 1u);
  slabs_.free(kept, 1);
  slabs_.trim(pages_);
  EXPECT_EQ(pages_.free_pages(), kPages);
}

TEST_F(SlabsTest, FillAllPagesAgainAndAgain) {
  for (int round = 0; round < 3; ++round) {
    const std::size_t units = 1 + static_cast<std::size_t>(round) * 20;
    std::vector<std::uint64_t> objects;
    for (std::uint64_t at = allocate(units); at != Slabs::kNowhere; at = allocate(units)) objects.push_back(at);
    EXPECT_EQ(objects.size(), kPages / Slabs::kSlabPages * Slabs::capacity(units));
    for (const std::uint64_t object : objects) slabs_.free(object, units);
    slabs_.trim(pages_);
    EXPECT_EQ(pages_.free_pages(), kPages);
  }
}

TEST_F(SlabsTest, KeepObjectsOfAllSizesApartInRandomHistories) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  struct Object {
    std::uint64_t offset;
    std::size_t units;
  };
  std::vector<Object> live;
  std::vector<int> taken(kPages * Slabs::kPage / Slabs::kUnit);
  for (int i = 0; i < 100'000; ++i) {
    if (live.empty() || random() % 100 < (i / 10'000 % 2 == 0 ? 60u : 40u)) {
      const std::size_t units = 1 + random() % 63;
      const std::uint64_t offset = allocate(units);
      if (offset == Slabs::kNowhere) continue;
      ASSERT_EQ(slabs_.units_of(offset), units);
      for (std::size_t u = 0; u < units; ++u) ASSERT_EQ(taken[offset / Slabs::kUnit + u]++, 0);
      live.push_back({offset, units});
    } else {
      std::swap(live[random() % live.size()], live.back());
      const auto [offset, units] = live.back();
      for (std::size_t u = 0; u < units; ++u) --taken[offset / Slabs::kUnit + u];
      slabs_.free(offset, units);
      live.pop_back();
      if (random() % 50 == 0) slabs_.trim(pages_);
    }
  }
  for (const auto& [offset, units] : live) slabs_.free(offset, units);
  slabs_.trim(pages_);
  EXPECT_EQ(pages_.free_pages(), kPages);
}

}  // namespace
}  // namespace weir::memory
