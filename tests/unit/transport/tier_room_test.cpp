// SPDX-License-Identifier: Apache-2.0

#include "transport/tier_room.hpp"

#include <gtest/gtest.h>

#include <array>

namespace weir::transport {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20, kGiB = kMiB << 10;

using Wish = TierRoom::Wish;

TEST(TierRoom, IsTheMemoryOfTheHostAndAQuarterWhereAddressesHaveNoLimit) {
  const std::array wishes{Wish{.host = 16 * kGiB, .asked = kGiB}, Wish{.host = 64 * kGiB}};
  const TierRoom room = TierRoom::of(wishes);
  EXPECT_EQ(room.limit, nullptr);
  EXPECT_EQ(room.tiers.count, 64 * kGiB);
  EXPECT_EQ(room.copies.count, 16 * kGiB);
}

TEST(TierRoom, IsAShareOfHalfOfWhatALimitLeaves) {
  const Wish wish{.host = 64 * kGiB, .left = 8000 * kMiB, .neighbours = 4};
  const TierRoom room = TierRoom::of(std::array{wish, wish, wish, wish});
  EXPECT_STREQ(room.limit, "ulimit -v for ranks");
  EXPECT_EQ(room.tiers.count, 800 * kMiB);
  EXPECT_EQ(room.copies.count, 200 * kMiB);
}

TEST(TierRoom, IsWhatIsAskedForWhereThatIsMoreThanTheShare) {
  for (const std::uint64_t asked : {60 * kMiB, 64 * kMiB, 1000 * kMiB, 20 * kGiB}) {
    const Wish wish{.host = 64 * kGiB, .asked = asked, .left = 200 * kMiB, .neighbours = 2};
    const TierRoom room = TierRoom::of(std::array{wish, wish});
    EXPECT_GE(room.most().count, asked);
    EXPECT_LT(room.all().count, asked + asked / 2 + 8 * kMiB);
  }
}

TEST(TierRoom, TheTightestLimitOfARankIsThatOfAll) {
  const std::array wishes{Wish{.host = 64 * kGiB, .neighbours = 2},
                          Wish{.host = 64 * kGiB, .left = 4000 * kMiB, .neighbours = 2},
                          Wish{.host = 64 * kGiB, .left = 1000 * kMiB, .neighbours = 1}};
  EXPECT_EQ(TierRoom::of(wishes).all().count, 500 * kMiB);
}

TEST(TierRoom, OfAllRanksOfAHostIsHalfOfWhatAProcessCanAddress) {
  struct Node {
    std::uint64_t host, ranks;
  };
  constexpr std::uint64_t kTiB = kGiB << 10;
  for (const Node node : {Node{2 * kTiB, 48}, Node{kTiB, 96}, Node{512 * kGiB, 192}, Node{24 * kTiB, 448}}) {
    for (const std::uint64_t asked : {std::uint64_t{0}, 16 * kMiB, node.host / node.ranks}) {
      const Wish wish{.host = node.host, .asked = asked, .neighbours = node.ranks};
      const TierRoom room = TierRoom::of(std::array{wish, Wish{.host = kGiB}});
      EXPECT_LE(room.all().count * node.ranks, 64 * kTiB);
      EXPECT_GE(room.most().count, node.host / node.ranks);
      EXPECT_STREQ(room.limit, "addresses for the ranks of a host");
    }
  }
  EXPECT_EQ(TierRoom::of(std::array{Wish{.host = 2 * kTiB, .neighbours = 16}}).limit, nullptr);
}

TEST(TierRoom, IsTheTighterOfTwoLimits) {
  constexpr std::uint64_t kTiB = kGiB << 10;
  const Wish wish{.host = 2 * kTiB, .left = 96 * kTiB, .neighbours = 96};
  EXPECT_EQ(TierRoom::of(std::array{wish}).all().count, kTiB / 2);
  EXPECT_STREQ(TierRoom::of(std::array{wish}).limit, "ulimit -v for ranks");
}

TEST(TierRoom, IsNeverMoreThanTheHostsMemoryWhateverTheLimitAllows) {
  const TierRoom room =
      TierRoom::of(std::array{Wish{.host = 10 * kGiB, .asked = 90 * 1024 * kGiB, .left = 1024 * kGiB}});
  EXPECT_EQ(room.tiers.count, 10 * kGiB);
  EXPECT_EQ(room.copies.count, 10 * kGiB / 4);
}

TEST(TierRoom, IsSomethingWhereNothingIsKnownOrLeft) {
  EXPECT_GT(TierRoom::of(std::array{Wish{}}).tiers.count, kGiB);
  const TierRoom none = TierRoom::of(std::array{Wish{.host = kGiB, .left = 0}});
  EXPECT_GT(none.tiers.count, 0u);
  EXPECT_GT(none.copies.count, 0u);
}

}  // namespace
}  // namespace weir::transport
