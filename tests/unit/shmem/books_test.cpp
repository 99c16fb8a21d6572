// SPDX-License-Identifier: Apache-2.0

#include "shmem/heap/books.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace weir::shmem {
namespace {

TEST(HeapBooks, EqualCallsGiveEqualOffsetsAndNoTwoPiecesOverlap) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  HeapBooks one(4 << 20), other(4 << 20);
  std::map<std::uint64_t, std::size_t> live;
  for (int step = 0; step < 5000; ++step) {
    if (!live.empty() && random() % 3 == 0) {
      const auto victim = std::next(live.begin(), static_cast<long>(random() % live.size()));
      one.release(victim->first);
      other.release(victim->first);
      live.erase(victim);
      continue;
    }
    const std::size_t bytes = 1 + random() % (random() % 10 == 0 ? 300000 : 3000),
                      alignment = std::size_t{8} << random() % 12;
    const std::uint64_t offset = one.allocate(bytes, alignment);
    ASSERT_EQ(other.allocate(bytes, alignment), offset);
    if (offset == HeapBooks::kNowhere) continue;
    ASSERT_EQ(offset % alignment, 0U);
    ASSERT_LE(offset + bytes, one.capacity());
    const auto after = live.lower_bound(offset);
    ASSERT_TRUE(after == live.end() || offset + bytes <= after->first);
    ASSERT_TRUE(after == live.begin() || std::prev(after)->first + std::prev(after)->second <= offset);
    live[offset] = bytes;
  }
  for (const auto& [offset, bytes] : live) {
    EXPECT_EQ(one.size_of(offset), bytes);
    one.release(offset);
  }
  EXPECT_EQ(one.used(), 0U);
  EXPECT_NE(one.allocate(one.capacity(), 64), HeapBooks::kNowhere) << "all that was released is one piece again";
}

TEST(HeapBooks, CountAnAlignmentFromTheirOrigin) {
  HeapBooks books(8 << 20, 1 << 20);
  const std::uint64_t offset = books.allocate(100, 4 << 20);
  EXPECT_EQ(offset, std::uint64_t{3} << 20) << "the origin is 1 MiB before it";
}

TEST(HeapBooks, KnowOnlyWhatTheyGave) {
  HeapBooks books(1 << 20);
  const std::uint64_t offset = books.allocate(100, 64);
  EXPECT_EQ(books.size_of(offset), 100U);
  EXPECT_FALSE(books.size_of(offset + 64));
  books.release(offset);
  EXPECT_FALSE(books.size_of(offset));
}

TEST(HeapBooks, APieceGrowsWithinWhatItTookAndDoesNotKeepMuchMore) {
  HeapBooks books(1 << 20);
  const std::uint64_t offset = books.allocate(100, 64);  // takes 128
  EXPECT_TRUE(books.resize(offset, 128));
  EXPECT_EQ(books.size_of(offset), 128U);
  EXPECT_FALSE(books.resize(offset, 129));
  const std::uint64_t large = books.allocate(40960, 64);
  EXPECT_TRUE(books.resize(large, 30000));
  EXPECT_FALSE(books.resize(large, 100));
}

TEST(HeapBooks, APieceTakesWhatIsFreeBehindItAndGivesBackWhatItDoesNotNeed) {
  HeapBooks books(1 << 20);
  const std::uint64_t first = books.allocate(100'000, 64), second = books.allocate(100'000, 64);
  EXPECT_FALSE(books.resize(first, 200'000)) << "the second is behind it";
  EXPECT_TRUE(books.resize(second, 500'000));
  EXPECT_EQ(books.size_of(second), 500'000U);
  EXPECT_GE(books.untouched_from(), second + 500'000);
  EXPECT_FALSE(books.resize(second, std::size_t{1} << 20));
  EXPECT_TRUE(books.resize(second, 5'000));
  EXPECT_NE(books.allocate(800'000, 64), HeapBooks::kNowhere) << "the rest is free";
  books.release(first);
  books.release(second);
  EXPECT_EQ(books.used(), memory::Space::charged(800'000));
}

TEST(HeapBooks, APieceMovesIntoRoomThatIncludesItsOwn) {
  HeapBooks books(1 << 20);
  const std::uint64_t before = books.allocate(400'000, 64), piece = books.allocate(200'000, 64),
                      behind = books.allocate(300'000, 64);
  EXPECT_EQ(books.replace(piece, 550'000), HeapBooks::kNowhere);
  EXPECT_EQ(books.size_of(piece), 200'000U) << "nothing has changed";
  books.release(before);
  EXPECT_EQ(books.replace(piece, 550'000), before);
  EXPECT_FALSE(books.size_of(piece));
  EXPECT_EQ(books.size_of(before), 550'000U);
  books.release(behind);
  books.release(before);
  const std::uint64_t small = books.allocate(16, 64), other = books.allocate(16, 64);
  EXPECT_EQ(books.replace(small, 1 << 20), HeapBooks::kNowhere) << "another is in the same slab";
  books.release(other);
  EXPECT_EQ(books.replace(small, 1 << 20), 0U);
}

TEST(HeapBooks, KnowWhichBytesAreGiven) {
  HeapBooks books(1 << 20);
  const std::uint64_t offset = books.allocate(100, 64);
  EXPECT_TRUE(books.is_given(offset));
  EXPECT_TRUE(books.is_given(offset + 99));
  EXPECT_FALSE(books.is_given(offset + 100));
  books.release(offset);
  EXPECT_FALSE(books.is_given(offset));
}

TEST(HeapBooks, SayFromWhereOnNothingWasEverGiven) {
  HeapBooks books(1 << 20);
  EXPECT_EQ(books.untouched_from(), 0U);
  const std::uint64_t offset = books.allocate(8192, 64);
  EXPECT_GE(books.untouched_from(), offset + 8192);
  const std::uint64_t before = books.untouched_from();
  books.release(offset);
  EXPECT_EQ(books.untouched_from(), before);
}

}  // namespace
}  // namespace weir::shmem
