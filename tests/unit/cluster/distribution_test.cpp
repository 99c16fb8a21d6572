// SPDX-License-Identifier: Apache-2.0

#include "weir/distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "weir/error.hpp"

namespace weir {
namespace {

int owner(const Distribution& distribution, std::vector<std::size_t> tile) { return distribution.owner_of(tile); }

TEST(Distributions, BlockCyclicGoesRoundAlongItsDimension) {
  const Distribution rows = block_cyclic(3), columns = block_cyclic(3, 1);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(owner(rows, {i, 5}), static_cast<int>(i % 3));
    EXPECT_EQ(owner(columns, {5, i}), static_cast<int>(i % 3));
  }
}

TEST(Distributions, BlockCyclic2dIsAGridOfRanks) {
  const Distribution grid = block_cyclic_2d(2, 3);
  EXPECT_EQ(owner(grid, {0, 0}), 0);
  EXPECT_EQ(owner(grid, {0, 4}), 1);
  EXPECT_EQ(owner(grid, {1, 0}), 3);
  EXPECT_EQ(owner(grid, {3, 5}), 5);
}

TEST(Distributions, BandsAreNeighboursAndEven) {
  for (int ranks = 1; ranks <= 8; ++ranks) {
    for (std::size_t tiles = 1; tiles <= 30; ++tiles) {
      const Distribution distribution = bands(ranks, tiles);
      std::vector<std::size_t> counts(static_cast<std::size_t>(ranks));
      int last = 0;
      for (std::size_t tile = 0; tile < tiles; ++tile) {
        const int rank = owner(distribution, {tile});
        EXPECT_GE(rank, last);
        ASSERT_LT(rank, ranks);
        ++counts[static_cast<std::size_t>(last = rank)];
      }
      const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
      EXPECT_LE(*most - *least, 1u) << ranks << " ranks, " << tiles << " tiles";
    }
  }
}

TEST(Distributions, WhatCannotBeIsRefused) {
  EXPECT_THROW(block_cyclic(0), Error);
  EXPECT_THROW(block_cyclic_2d(2, 0), Error);
  EXPECT_THROW(bands(2, 0), Error);
  EXPECT_THROW(owner(block_cyclic(2, 1), {3}), Error);
  EXPECT_THROW(owner(block_cyclic_2d(1, 1), {3}), Error);
}

}  // namespace
}  // namespace weir
