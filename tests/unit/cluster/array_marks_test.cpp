// SPDX-License-Identifier: Apache-2.0

#include "cluster/array_marks.hpp"

#include <gtest/gtest.h>

namespace weir::cluster {
namespace {

constexpr ArrayMark kFirst{1, 2}, kSecond{3, 4};

TEST(ArrayMarks, AreNoDifferenceWhereTheyAreTheSameWhicheverRankIsAhead) {
  ArrayMarks marks;
  EXPECT_FALSE(marks.note_told(kFirst));
  EXPECT_FALSE(marks.note_told(kSecond));
  EXPECT_FALSE(marks.note_own(kFirst, "a"));
  EXPECT_FALSE(marks.note_own(kSecond, "b"));
  EXPECT_FALSE(marks.note_own(kFirst, "c"));
  EXPECT_FALSE(marks.note_told(kFirst));
}

TEST(ArrayMarks, NameTheArrayThatHasOtherTilesOrOwners) {
  ArrayMarks marks;
  EXPECT_FALSE(marks.note_own(kFirst, "a"));
  EXPECT_FALSE(marks.note_own(kSecond, "b"));
  EXPECT_FALSE(marks.note_told(kFirst));
  const auto owners = marks.note_told({kSecond.tiles, 5});
  ASSERT_TRUE(owners);
  EXPECT_EQ(owners->what, ArrayMarks::What::owners);
  EXPECT_EQ(owners->name, "b");
  EXPECT_FALSE(marks.note_told({7, 8}));
  const auto tiles = marks.note_own(kFirst, "c");
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->what, ArrayMarks::What::tiles);
  EXPECT_EQ(tiles->name, "c");
}

TEST(Digests, DependOnValuesAndTheirOrder) {
  const auto of = [](std::initializer_list<std::uint64_t> values) {
    Digest digest;
    for (const std::uint64_t value : values) digest.add(value);
    return digest.value();
  };
  EXPECT_EQ(of({1, 2}), of({1, 2}));
  EXPECT_NE(of({1, 2}), of({2, 1}));
  EXPECT_NE(of({0}), of({0, 0}));
  EXPECT_NE(of({}), of({0}));
}

}  // namespace
}  // namespace weir::cluster
