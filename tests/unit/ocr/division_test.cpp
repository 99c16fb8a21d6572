// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/division.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <random>
#include <utility>

namespace weir::ocr {
namespace {

std::vector<std::uint32_t> homes_of(const Division& division) {
  std::vector<std::uint32_t> homes(kParts);
  for (std::size_t i = 0; i < division.homes.size(); ++i) {
    const std::uint32_t end = i + 1 < division.homes.size() ? division.homes[i + 1].first : kParts;
    std::fill(homes.begin() + division.homes[i].first, homes.begin() + end, division.homes[i].home);
  }
  return homes;
}

std::uint64_t free_parts(const Division& division) {
  std::uint64_t sum = 0;
  for (const auto& stretches : division.stretches)
    for (const Stretch& stretch : stretches) sum += stretch.free_parts();
  return sum;
}

// No index is in two stretches, and each is of its rank's parts.
void check(const Division& division) {
  const std::vector<std::uint32_t> homes = homes_of(division);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (std::uint32_t rank = 0; rank < division.stretches.size(); ++rank) {
    ASSERT_FALSE(division.stretches[rank].empty()) << rank;
    for (const Stretch& stretch : division.stretches[rank]) {
      const std::uint64_t first = *std::min_element(stretch.next.begin(), stretch.next.end());
      taken.emplace_back(first, stretch.end);
      const auto begin = homes.begin() + static_cast<std::ptrdiff_t>(first >> kPartShift),
                 end = homes.begin() + static_cast<std::ptrdiff_t>(stretch.end >> kPartShift);
      ASSERT_EQ(std::count(begin, end, rank), end - begin) << rank;
    }
  }
  std::sort(taken.begin(), taken.end());
  const auto overlap = [](const auto& one, const auto& next) { return one.second > next.first; };
  EXPECT_EQ(std::adjacent_find(taken.begin(), taken.end(), overlap), taken.end());
}

TEST(Division, GivesEachRankAsManyIndices) {
  for (const std::uint32_t ranks : {1U, 2U, 3U, 64U, 1000U, kMostRanks}) {
    const Division division = divide(ranks);
    check(division);
    EXPECT_TRUE(std::all_of(division.stretches.begin(), division.stretches.end(), [&](const auto& stretches) {
      const std::uint64_t parts = stretches[0].free_parts();
      return stretches.size() == 1 && (parts == kParts / ranks || parts == kParts / ranks + 1);
    }));
  }
  EXPECT_EQ(divide(1).stretches[0][0].next_of(TableOf::events), 1U) << "0 is no index";
}

TEST(Division, OfAsManyRanksIsAsItWas) {
  Division division = divide(3);
  division.stretches[1][0].next_of(TableOf::blocks) += 12345;
  const auto again = divide_again(division, 3);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->homes, division.homes);
  EXPECT_EQ(again->stretches, division.stretches);
}

TEST(Division, OfFewerRanksHasThePartsOfThoseThatAreNoMore) {
  const auto again = divide_again(divide(4), 3);
  ASSERT_TRUE(again);
  check(*again);
  const std::vector<std::uint32_t> before = homes_of(divide(4)), now = homes_of(*again);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), now.begin(),
                         [](std::uint32_t was, std::uint32_t is) { return is == was % 3; }));
  EXPECT_EQ(again->stretches[0].size(), 2U);
  EXPECT_EQ(again->stretches[1].size(), 1U);
}

TEST(Division, OfMoreRanksLeavesWhatIsUsedWhereItIs) {
  Division division = divide(1);
  const std::uint64_t used = (std::uint64_t{7} << kPartShift) + 5;
  division.stretches[0][0].next_of(TableOf::edts) = used;
  const auto again = divide_again(division, 3);
  ASSERT_TRUE(again);
  check(*again);
  EXPECT_EQ(free_parts(*again), free_parts(division));
  EXPECT_EQ(again->stretches[0][0].next_of(TableOf::edts), used);
  EXPECT_EQ(again->stretches[0][0].next_of(TableOf::events), 1U) << "each table goes on where it was";
  for (std::uint32_t part = 0; part < 8; ++part) EXPECT_EQ(homes_of(*again)[part], 0U);
}

TEST(Division, ARankMakesNewObjectsWhereItHasMostRoom) {
  Division division = divide(2);
  division.stretches[0][0].next_of(TableOf::events) += std::uint64_t{30000} << kPartShift;
  const auto again = divide_again(division, 1);
  ASSERT_TRUE(again);
  ASSERT_EQ(again->stretches[0].size(), 2U);
  EXPECT_EQ(again->stretches[0][0], division.stretches[1][0]);
}

TEST(Division, IsRefusedWhereNoRankHasPartsToGive) {
  Division division = divide(1);
  Stretch& only = division.stretches[0][0];
  only.next_of(TableOf::maps) = only.end - (std::uint64_t{3} << kPartShift);
  EXPECT_TRUE(divide_again(division, 2));
  EXPECT_TRUE(divide_again(division, 3));
  EXPECT_FALSE(divide_again(division, 4)) << "each keeps a part";
  EXPECT_TRUE(divide_again(divide(kMostRanks), kMostRanks));
  EXPECT_TRUE(divide_again(divide(kMostRanks), 1));
  EXPECT_TRUE(divide_again(divide(kMostRanks - 1), kMostRanks));
}

// Those that one table has given.
class Given {
 public:
  // False: some were given before.
  bool add(std::uint64_t first, std::uint64_t end) {
    const auto after = ends_.lower_bound(first);
    if (after != ends_.end() && after->first < end) return false;
    if (after != ends_.begin() && std::prev(after)->second > first) return false;
    ends_.emplace(first, end);
    return true;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // by the first
};

// Chains of runs, each of which uses some of what it has.
TEST(Division, GivesNoIndexTwice) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::mt19937 chooser(seed);
    const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(chooser() % end); };
    Division division = divide(1 + below(9));
    std::array<Given, kTables> given;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> objects;  // index, and its home
    for (int run = 0; run < 20; ++run) {
      for (std::uint32_t rank = 0; rank < division.stretches.size(); ++rank) {
        Stretch& from = division.stretches[rank][0];
        for (std::size_t table = 0; table < kTables; ++table) {
          const std::uint64_t first = from.next[table], end = std::min(from.end, first + below(3000000));
          if (first == end) continue;
          ASSERT_TRUE(given[table].add(first, end)) << seed;
          objects.emplace_back(end - 1, rank);
          from.next[table] = end;
        }
      }
      const std::uint32_t ranks = 1 + below(9);
      const auto again = divide_again(division, ranks);
      ASSERT_TRUE(again) << seed;
      const std::vector<std::uint32_t> homes = homes_of(*again);
      for (auto& [index, home] : objects) home %= ranks;
      ASSERT_TRUE(std::all_of(objects.begin(), objects.end(), [&](const auto& object) {
        return homes[object.first >> kPartShift] == object.second;
      })) << seed;
      division = *again;
      check(division);
    }
  }
}

}  // namespace
}  // namespace weir::ocr
