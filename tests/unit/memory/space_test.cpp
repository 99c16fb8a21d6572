// SPDX-License-Identifier: Apache-2.0

#include "memory/space.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <random>
#include <vector>

#include "sizes.hpp"

namespace weir::memory {
namespace {

Space space_of(std::size_t bytes) {
  Space space(bytes);
  space.add(bytes);
  return space;
}

TEST(Space, GivesNothingBeforeItHasMemory) {
  Space space(kMiB);
  EXPECT_EQ(space.allocate(1), Space::kNowhere);
  EXPECT_EQ(space.size(), 0u);
  EXPECT_EQ(space.shortfall(1), Space::kSlab);
  EXPECT_EQ(space.shortfall(4096), 4096u);
  space.add(space.shortfall(1));
  EXPECT_EQ(space.allocate(1), 0u);
  EXPECT_EQ(space.size(), Space::kSlab);
}

TEST(Space, SaysHowMuchMoreMemoryAnAllocationNeeds) {
  Space space(4 * kMiB);
  space.add(64 * kKiB);
  ASSERT_EQ(space.allocate(32 * kKiB), 0u);
  ASSERT_EQ(space.allocate(kMiB), Space::kNowhere);
  EXPECT_EQ(space.shortfall(kMiB), kMiB - 32 * kKiB) << "what is free at the end counts";
  space.add(space.shortfall(kMiB));
  EXPECT_EQ(space.allocate(kMiB), 32 * kKiB);
  space.add(space.shortfall(5000, 256 * kKiB));
  const std::uint64_t aligned = space.allocate_aligned(5000, 256 * kKiB);
  ASSERT_NE(aligned, Space::kNowhere);
  EXPECT_EQ(aligned % (256 * kKiB), 0u);
}

TEST(Space, RefusesWhatItCanNeverGive) {
  Space space = space_of(kMiB);
  for (const std::size_t bytes : {kMiB + 1, ~std::size_t{0}, ~std::size_t{0} - 4096}) {
    EXPECT_EQ(space.allocate(bytes), Space::kNowhere);
    EXPECT_EQ(space.allocate_aligned(bytes, 64 * kKiB), Space::kNowhere);
  }
  EXPECT_EQ(space.allocate_aligned(1, std::size_t{1} << 45), Space::kNowhere);
  EXPECT_EQ(space.used(), 0u);
  EXPECT_EQ(space.allocate(kMiB), 0u);
}

TEST(Space, AlignsAddressesThatBeginAnywhere) {
  Space space = space_of(4 * kMiB);
  const std::uintptr_t origin = 0x7f0000003000;
  for (std::size_t alignment = 64; alignment <= kMiB; alignment *= 2) {
    const std::uint64_t offset = space.allocate_aligned(100, alignment, origin);
    ASSERT_NE(offset, Space::kNowhere);
    EXPECT_EQ((offset + origin) % alignment, 0u);
  }
}

TEST(Space, FreedSlabsMakeRoomForPagesWhenThereIsNoOther) {
  Space space = space_of(64 * kKiB);
  std::vector<std::uint64_t> small;
  for (int i = 0; i < 4 * 256; ++i) small.push_back(space.allocate(64));
  EXPECT_NE(small.back(), Space::kNowhere);
  EXPECT_EQ(space.used(), space.capacity()) << "all of it is objects: no slab keeps a header";
  EXPECT_EQ(space.allocate(1), Space::kNowhere);
  for (const std::uint64_t offset : small) space.free(offset, 64);
  EXPECT_EQ(space.allocate(64 * kKiB), 0u);
}

TEST(Space, TakesNoMoreMemoryThanTheirSumWhateverTheOrder) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::size_t> sizes(1 + random() % 40);
    Space::Sum sum;
    for (std::size_t& bytes : sizes) sum.add(bytes = 1 + random() % (random() % 2 == 0 ? 4095 : 30'000));
    Space space = space_of(sum.bytes());
    for (const std::size_t bytes : sizes) ASSERT_NE(space.allocate(bytes), Space::kNowhere);
  }
}

// Equal calls, equal offsets: symmetric heaps of several processes rely on it.
TEST(Space, IsTheSameForEqualCalls) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Space one = space_of(8 * kMiB), other = space_of(8 * kMiB);
  std::vector<std::pair<std::uint64_t, std::size_t>> live;
  for (int i = 0; i < 20'000; ++i) {
    if (live.empty() || random() % 2 == 0) {
      const std::size_t bytes = 1 + random() % (random() % 2 == 0 ? 2000 : 100'000);
      const std::uint64_t offset = one.allocate(bytes);
      ASSERT_EQ(offset, other.allocate(bytes)) << "request " << i;
      if (offset != Space::kNowhere) live.emplace_back(offset, bytes);
    } else {
      std::swap(live[random() % live.size()], live.back());
      one.free(live.back().first, live.back().second);
      other.free(live.back().first, live.back().second);
      live.pop_back();
    }
  }
}

TEST(Space, NoTwoAllocationsOverlapAndSizesAreKept) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  Space space(16 * kMiB);
  std::map<std::uint64_t, std::size_t> live;  // offset -> charged bytes
  std::size_t used = 0;
  for (int i = 0; i < 50'000; ++i) {
    if (live.empty() || random() % 2 == 0) {
      const std::size_t bytes = 1 + random() % (random() % 2 == 0 ? 3000 : 60'000);
      const std::size_t alignment = random() % 5 == 0 ? std::size_t{64} << random() % 10 : 64;
      std::uint64_t offset = space.allocate_aligned(bytes, alignment);
      if (offset == Space::kNowhere && space.shortfall(bytes, alignment) <= space.capacity() - space.size()) {
        space.add(space.shortfall(bytes, alignment));
        offset = space.allocate_aligned(bytes, alignment);
        ASSERT_NE(offset, Space::kNowhere) << "it had what it asked for";
      }
      if (offset == Space::kNowhere) continue;
      const std::size_t size = space.size_of(offset);
      ASSERT_GE(size, bytes);
      ASSERT_LE(offset + size, space.size());
      ASSERT_EQ(offset % alignment, 0u);
      const auto [at, is_new] = live.emplace(offset, size);
      ASSERT_TRUE(is_new);
      if (at != live.begin()) {
        ASSERT_LE(std::prev(at)->first + std::prev(at)->second, offset);
      }
      if (std::next(at) != live.end()) {
        ASSERT_LE(offset + size, std::next(at)->first);
      }
      used += size;
    } else {
      const auto at = std::next(live.begin(), static_cast<long>(random() % live.size()));
      space.free(at->first, at->second);
      used -= at->second;
      live.erase(at);
    }
    ASSERT_EQ(space.used(), used);
  }
  for (const auto& [offset, size] : live) space.free(offset, size);
  space.trim();
  EXPECT_EQ(space.largest_free(), space.size()) << "all of it is one hole again";
}

}  // namespace
}  // namespace weir::memory
