// SPDX-License-Identifier: Apache-2.0

// Whoever begins, each rank is told once, and none tells many.
#include "cluster/spread.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace weir::cluster {
namespace {

TEST(Spread, TellsEachRankOnceFromAnyRoot) {
  for (std::uint32_t ranks = 1; ranks <= 70; ++ranks) {
    for (std::uint32_t root = 0; root < ranks; ++root) {
      std::vector<int> told(ranks);
      for (std::uint32_t self = 0; self < ranks; ++self) {
        int tells = 0;
        spread(Rank{root}, Rank{self}, ranks, [&](Rank to) {
          ++told.at(static_cast<std::size_t>(to));
          ++tells;
        });
        EXPECT_LE(tells, static_cast<int>(std::bit_width(ranks - 1)));
      }
      for (std::uint32_t rank = 0; rank < ranks; ++rank) EXPECT_EQ(told[rank], rank == root ? 0 : 1);
    }
  }
}

}  // namespace
}  // namespace weir::cluster
