// SPDX-License-Identifier: Apache-2.0

// Blocks of one footprint over several nodes, as a table.
#include "data/spread.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "data/tiers.hpp"

namespace weir::data {
namespace {

constexpr std::size_t kPage = Arena::kPage;

TEST(Spread, PutsEachBlockOnANodeThatHasRoomOrSaysThatItCannot) {
  struct Row {
    const char* what;
    std::vector<std::size_t> pages;  // of each block
    std::vector<std::size_t> room;   // of each node, in pages
    std::vector<int> node;           // none: they do not fit
  };
  const Row rows[] = {
      {"largest first, where most is left", {1, 6, 3}, {10, 8}, {1, 0, 1}},
      {"to the last page", {4, 4, 4, 4}, {8, 8}, {0, 1, 0, 1}},
      {"tightly, where using all alike does not do", {6, 5, 5}, {10, 6}, {1, 0, 0}},
      {"each fits, and the last nowhere", {7, 7, 2}, {8, 8}, {}},
      {"all together, and not block by block", {6, 6, 6}, {9, 9}, {}},
      {"a block larger than every node", {10}, {9, 9}, {}},
  };
  for (const Row& row : rows) {
    std::vector<std::size_t> sizes, room;
    for (const std::size_t pages : row.pages) sizes.push_back(pages * kPage);
    for (const std::size_t pages : row.room) room.push_back(pages * kPage);
    std::vector<int> node(sizes.size(), -1);
    ASSERT_EQ(spread(sizes, room, node), !row.node.empty()) << row.what;
    if (!row.node.empty()) {
      EXPECT_EQ(node, row.node) << row.what;
    }
  }
}

TEST(Spread, CountsSmallBlocksByTheSlabsOfEachNode) {
  constexpr std::size_t kSlab = memory::Space::kSlab;
  const std::vector<std::size_t> alike(20, 128), different{64, 128, 192, 256};
  std::vector<int> node(20);
  EXPECT_TRUE(spread(alike, std::vector{kSlab, std::size_t{0}}, node));
  EXPECT_EQ(node, std::vector<int>(20, 0));
  node.resize(different.size());
  EXPECT_TRUE(spread(different, std::vector{2 * kSlab, 2 * kSlab}, node));
  EXPECT_FALSE(spread(different, std::vector{2 * kSlab, kSlab}, node));
}

}  // namespace
}  // namespace weir::data
