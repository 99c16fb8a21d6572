// SPDX-License-Identifier: Apache-2.0

#include "deps/covers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bitset>
#include <random>

#include "weir/footprint.hpp"

namespace weir::deps {
namespace {

TEST(Covers, FollowsTheModesOfTheParent) {
  int x = 0;
  const Access reads[] = {in(x).access}, writes[] = {inout(x).access}, commutes[] = {commutative(x).access};
  EXPECT_TRUE(covers(reads, in(x).access));
  EXPECT_FALSE(covers(reads, out(x).access));
  EXPECT_TRUE(covers(writes, in(x).access));
  EXPECT_TRUE(covers(writes, commutative(x).access));
  EXPECT_TRUE(covers(commutes, inout(x).access));
}

TEST(Covers, GivesNoRightToTheObjectOfAReduction) {
  int x = 0;
  Access reduces[] = {inout(x).access};
  reduces[0].mode = Mode::reduce;
  EXPECT_FALSE(covers(reduces, in(x).access));
  EXPECT_FALSE(covers(reduces, reduces[0]));
}

TEST(Covers, JoinsSeveralItemsOfTheParent) {
  int x[10];
  const Access parent[] = {out(x, 4).access, inout(x + 6, 4).access, in(x + 3, 4).access};
  EXPECT_TRUE(covers(parent, in(x, 10).access));
  Uncovered uncovered;
  EXPECT_FALSE(covers(parent, out(x, 10).access, &uncovered));
  EXPECT_EQ(uncovered.bytes.start, reinterpret_cast<std::uintptr_t>(x + 4));
  EXPECT_TRUE(uncovered.only_read);
}

TEST(Covers, AsksNothingForNoBytes) {
  int x = 0;
  EXPECT_TRUE(covers({}, inout(&x, 0).access));
  EXPECT_FALSE(covers({}, inout(x).access));
}

TEST(Covers, NamesWhatIsMissing) {
  int x[10];
  const Access parent[] = {inout(x, 4).access};
  Uncovered uncovered;
  ASSERT_FALSE(covers(parent, in(x, 10).access, &uncovered));
  EXPECT_THAT(describe(uncovered, in(x, 10).access), ::testing::HasSubstr("from byte 16 on"));
  EXPECT_THAT(describe(uncovered, in(x, 10).access), ::testing::HasSubstr("does not name that memory"));
}

Access random_item(std::mt19937_64& random) {
  auto* const base = reinterpret_cast<std::byte*>(std::uintptr_t{4096});
  Access access = inout(base + random() % 64, random() % 24).access;
  access.region.rows = random() % 4;
  access.region.stride_bytes = access.region.row_bytes + random() % 8;
  access.mode = static_cast<Mode>(random() % 6);
  return access;
}

std::bitset<256> bytes_of(const Region& region) {
  std::bitset<256> bytes;
  for (std::size_t row = 0; row < region.rows; ++row)
    for (std::size_t i = 0; i < region.row_bytes; ++i)
      bytes.set(reinterpret_cast<std::uintptr_t>(region.base) - 4096 + row * region.stride_bytes + i);
  return bytes;
}

TEST(Covers, AgreesWithCountingBytes) {
  std::mt19937_64 random(5);
  int covered = 0;
  for (int i = 0; i < 100'000; ++i) {
    std::vector<Access> parent(1 + random() % 6);
    for (Access& item : parent) item = random_item(random);
    const Access child = random_item(random);
    std::bitset<256> allowed;
    for (const Access& item : parent)
      if (item.mode != Mode::reduce && (writes(item.mode) || !writes(child.mode))) allowed |= bytes_of(item.region);
    const bool expected = (bytes_of(child.region) & ~allowed).none();
    ASSERT_EQ(covers(parent, child), expected) << i;
    covered += expected && child.region.row_bytes * child.region.rows != 0;
  }
  EXPECT_GT(covered, 1000);
}

}  // namespace
}  // namespace weir::deps
