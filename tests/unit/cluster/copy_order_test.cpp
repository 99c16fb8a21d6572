// SPDX-License-Identifier: Apache-2.0

#include "cluster/copy_order.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "cluster/tile.hpp"

namespace weir::cluster {
namespace {

struct Tiles {
  std::vector<detail::RankedTile> all;
  explicit Tiles(int count) {
    for (int i = 0; i < count; ++i) all.push_back({Versions(Rank{1}, Rank{0}), {}, 100, {}, ""});
  }
  detail::RankedTile& operator[](int i) { return all[static_cast<std::size_t>(i)]; }
};

TEST(CopyOrder, WhatWasUsedLongestAgoIsOneTooMany) {
  Tiles tiles(3);
  CopyOrder order;
  for (int i = 0; i < 3; ++i) order.use(tiles[i], 100, static_cast<std::uint64_t>(i));
  EXPECT_EQ(order.bytes(), 300u);
  EXPECT_EQ(order.one_too_many(300, 9), nullptr) << "they fit";
  EXPECT_EQ(order.one_too_many(299, 9), &tiles[0]);
  order.use(tiles[0], 100, 3);
  EXPECT_EQ(order.bytes(), 300u) << "it was there";
  EXPECT_EQ(order.one_too_many(299, 9), &tiles[1]);
}

TEST(CopyOrder, WhatTheTaskReadsStays) {
  Tiles tiles(2);
  CopyOrder order;
  order.use(tiles[0], 100, 1);
  order.use(tiles[1], 100, 1);
  EXPECT_EQ(order.one_too_many(50, 1), nullptr);
  EXPECT_EQ(order.one_too_many(50, 2), &tiles[0]);
}

TEST(CopyOrder, OnlyWhatIsThereIsUsedAgain) {
  Tiles tiles(2);
  CopyOrder order;
  order.use(tiles[0], 100, 1);
  order.use_if_there(tiles[0], 2);
  order.use_if_there(tiles[1], 2);
  EXPECT_EQ(order.bytes(), 100u);
  EXPECT_EQ(order.one_too_many(0, 2), nullptr) << "the task uses it";
}

TEST(CopyOrder, WhatIsRemovedNeitherCountsNorLeaves) {
  Tiles tiles(2);
  CopyOrder order;
  order.use(tiles[0], 100, 1);
  order.use(tiles[1], 100, 2);
  order.remove(tiles[0]);
  order.remove(tiles[0]);
  EXPECT_EQ(order.bytes(), 100u);
  EXPECT_EQ(order.one_too_many(0, 3), &tiles[1]);
  order.remove(tiles[1]);
  EXPECT_EQ(order.one_too_many(0, 3), nullptr);
}

}  // namespace
}  // namespace weir::cluster
