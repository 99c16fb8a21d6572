// SPDX-License-Identifier: Apache-2.0

#include "deps/block_grid.hpp"

#include <gtest/gtest.h>

#include <random>

namespace weir::deps {
namespace {

TEST(Divider, DividesAsTheProcessorDoes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t divisor = 1 + (random() >> (2 + random() % 62));
    const Divider divide(divisor);
    const std::uint64_t n = random() >> (2 + random() % 62);
    const std::uint64_t multiple = n / divisor * divisor;
    for (const std::uint64_t m : {n, multiple, multiple == 0 ? 0 : multiple - 1})
      ASSERT_EQ(divide(m), m / divisor) << m << " / " << divisor;
  }
}

Partition partition_of(std::uintptr_t start, std::size_t rows, std::size_t columns, std::size_t stride) {
  return {{reinterpret_cast<void*>(start), columns, rows, stride}, 4, 2, 1};
}

TEST(BlockGrid, SubtractsItsRowsFromARange) {
  const BlockGrid grid(partition_of(1000, 3, 10, 16));
  std::vector<ByteRange> rest;
  grid.subtract_from({990, 1040}, rest);
  ASSERT_EQ(rest.size(), 3u);
  EXPECT_EQ(rest[0].end, 1000u);
  EXPECT_EQ(rest[1].start, 1010u);
  EXPECT_EQ(rest[1].end, 1016u);
  EXPECT_EQ(rest[2].start, 1026u);
  EXPECT_EQ(rest[2].end, 1032u);
}

TEST(BlockGrid, KnowsThatTwoHalvesOfOneBufferDoNotOverlap) {
  const BlockGrid left(partition_of(1000, 3, 8, 16)), right(partition_of(1008, 3, 8, 16));
  EXPECT_FALSE(left.may_overlap(right));
  EXPECT_FALSE(right.may_overlap(left));
  EXPECT_TRUE(left.may_overlap(BlockGrid(partition_of(1007, 3, 8, 16))));
  EXPECT_TRUE(left.may_overlap(BlockGrid(partition_of(1020, 3, 13, 16))));
}

TEST(BlockGrid, CountsTheBytesOfARangeOnceEach) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t columns = 1 + random() % 12, rows = 1 + random() % 5, stride = columns + random() % 5;
    const BlockGrid grid(partition_of(1000, rows, columns, stride));
    const std::uintptr_t start = 990 + random() % 60, end = start + 1 + random() % 60;
    std::size_t expected = 0, found = 0;
    for (std::uintptr_t byte = std::max<std::uintptr_t>(start, 1000); byte < end; ++byte)
      expected += (byte - 1000) / stride < rows && (byte - 1000) % stride < columns;
    grid.for_each_rectangle({start, end}, [&](const BlockGrid::Rectangle& r) { found += r.rows * r.columns; });
    ASSERT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace weir::deps
