// SPDX-License-Identifier: Apache-2.0

#include "machine/rank.hpp"

#include <gtest/gtest.h>

namespace weir::machine {
namespace {

std::vector<int> order(const std::vector<RankedNode>& nodes) {
  std::vector<int> ids;
  for (const MemoryNodeId id : rank(nodes)) ids.push_back(int(id));
  return ids;
}
RankedNode node(int id, MemoryKind kind, double distance = 1, Cost measured = {}, Cost claimed = {}) {
  return {MemoryNodeId(id), kind, distance, measured, claimed};
}

TEST(Rank, WithoutNumbersKindAndDistanceDecide) {
  using enum MemoryKind;
  EXPECT_EQ(order({node(0, ddr), node(1, hbm), node(2, ddr, 2.1), node(3, hbm, 2.1), node(4, cxl), node(5, nvm),
                   node(6, hbm, 1.2)}),
            (std::vector{1, 6, 0, 3, 2, 4, 5}));
}

TEST(Rank, ClaimedBandwidthOverrulesTheKind) {
  EXPECT_EQ(order({node(0, MemoryKind::hbm, 1, {}, {100, 0, 0}), node(1, MemoryKind::ddr, 1, {}, {200, 0, 0})}),
            (std::vector{1, 0}));
}

TEST(Rank, MeasuredBandwidthOverrulesTheClaimed) {
  EXPECT_EQ(order({node(0, MemoryKind::ddr, 1, {300, 0, 0}, {100, 0, 0}),
                   node(1, MemoryKind::ddr, 1, {200, 0, 0}, {200, 0, 0})}),
            (std::vector{0, 1}));
}

TEST(Rank, NumbersForSomeNodesOnlyAreNotMixedWithEstimates) {
  EXPECT_EQ(order({node(0, MemoryKind::ddr, 1, {}, {100, 0, 0}), node(1, MemoryKind::hbm)}), (std::vector{1, 0}));
}

TEST(Rank, EqualBandwidthIsOrderedByLatencyThenById) {
  const Cost slow{100, 0, 200}, quick{100, 0, 100};
  EXPECT_EQ(order({node(0, MemoryKind::ddr, 1, {}, slow), node(1, MemoryKind::ddr, 1, {}, quick),
                   node(2, MemoryKind::ddr, 1, {}, quick)}),
            (std::vector{1, 2, 0}));
}

}  // namespace
}  // namespace weir::machine
