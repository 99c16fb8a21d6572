// SPDX-License-Identifier: Apache-2.0

#include "deps/conflict.hpp"

#include <gtest/gtest.h>

#include <random>

#include "weir/footprint.hpp"

namespace weir::deps {
namespace {

// As a task keeps it.
Access kept(Access access) {
  if (access.partition != nullptr) access.region.stride_bytes = 0;
  return access;
}

Conflict between(const Access& earlier, const Access& later, Between what = Between::order) {
  const Access e[] = {kept(earlier)}, l[] = {kept(later)};
  return find_conflict(e, l, what);
}

TEST(Conflict, NamesTheFirstItemOfTheLaterTaskAndItsPartner) {
  int a = 0, b = 0, c = 0;
  const Access earlier[] = {in(a).access, out(b).access, inout(c).access};
  const Access later[] = {in(a).access, inout(c).access, in(b).access};
  const Conflict found = find_conflict(earlier, later, Between::order);
  EXPECT_TRUE(found.found);
  EXPECT_EQ(found.later, 1u);
  EXPECT_EQ(found.earlier, 2u);
  EXPECT_EQ(found.more, 1u);
}

TEST(Conflict, IsNoneBetweenTasksThatMayRunTogether) {
  int x = 0, y = 0;
  EXPECT_FALSE(between(in(x).access, in(x).access).found);
  EXPECT_FALSE(between(concurrent(x).access, concurrent(x).access).found);
  EXPECT_FALSE(between(inout(x).access, inout(y).access).found);
  EXPECT_TRUE(between(in(x).access, concurrent(x).access).found);
  EXPECT_TRUE(between(out(x).access, out(x).access).found);
}

TEST(Conflict, TellsOrderFromExclusion) {
  int x = 0;
  EXPECT_FALSE(between(commutative(x).access, commutative(x).access).found);
  EXPECT_TRUE(between(commutative(x).access, commutative(x).access, Between::exclusion).found);
  EXPECT_TRUE(between(in(x).access, commutative(x).access).found);
  EXPECT_FALSE(between(in(x).access, commutative(x).access, Between::exclusion).found);
}

TEST(Conflict, OfSectionsIsByBlock) {
  static double cells[32 * 32];
  const Watched<double> array(cells, 32, 32, 32, 8, 8);
  const Access tile = inout(array.tile(8, 8, 2, 2)).access;
  EXPECT_FALSE(between(tile, in(array.tile(9, 9, 3, 3)).access).only_a_block);
  EXPECT_TRUE(between(tile, in(array.tile(14, 14, 2, 2)).access).only_a_block);
  const Conflict none = between(tile, in(array.tile(16, 8, 2, 2)).access);
  EXPECT_FALSE(none.found);
  EXPECT_TRUE(none.sure);
}

TEST(Conflict, OfASectionAndARangeIsByBlock) {
  static double cells[32 * 32];
  const Watched<double> array(cells, 32, 32, 32, 8, 8);
  EXPECT_TRUE(between(inout(cells + 15 * 32 + 15, 1).access, in(array.tile(8, 8, 1, 1)).access).only_a_block);
  EXPECT_FALSE(between(inout(cells + 16 * 32 + 15, 1).access, in(array.tile(8, 8, 1, 1)).access).found);
  const Conflict unknown = between(inout(array.tile(8, 8, 2, 2)).access, inout(cells + 8 * 32, 32).access);
  EXPECT_FALSE(unknown.found) << "of the earlier task's array only the first row could be known";
  EXPECT_FALSE(unknown.sure);
}

// Byte by byte, for random sections.
TEST(Conflict, OfSectionsIsExact) {
  constexpr std::size_t kRows = 12, kColumns = 10;
  static char cells[kRows * kColumns];
  const Watched<char> array(cells, kRows, kColumns, kColumns, 3, 4);
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  struct Tile {
    std::size_t row, column, rows, columns;
  };
  const auto some = [&] {
    const std::size_t row = below(kRows), column = below(kColumns);
    return Tile{row, column, 1 + below(kRows - row), 1 + below(kColumns - column)};
  };
  const auto meet = [](std::size_t a, std::size_t n, std::size_t b, std::size_t m) { return a < b + m && b < a + n; };
  for (int i = 0; i < 2000; ++i) {
    const Tile a = some(), b = some();
    const bool bytes = meet(a.row, a.rows, b.row, b.rows) && meet(a.column, a.columns, b.column, b.columns);
    const bool blocks = a.row / 3 <= (b.row + b.rows - 1) / 3 && b.row / 3 <= (a.row + a.rows - 1) / 3 &&
                        a.column / 4 <= (b.column + b.columns - 1) / 4 &&
                        b.column / 4 <= (a.column + a.columns - 1) / 4;
    const Conflict found = between(out(array.tile(a.row, a.column, a.rows, a.columns)).access,
                                   out(array.tile(b.row, b.column, b.rows, b.columns)).access);
    EXPECT_EQ(found.found, blocks);
    EXPECT_EQ(found.found && !found.only_a_block, bytes);
  }
}

}  // namespace
}  // namespace weir::deps
