// SPDX-License-Identifier: Apache-2.0

#include "sched/overflow.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weir::sched {
namespace {

using Item = StealDeque::Item;
using Batches = std::array<Overflow::Batch*, Overflow::kMostAtOnce>;

// Batches of one item each: 2, 4, ...
void fill(Overflow& overflow, std::size_t batches) {
  for (Item i = 1; i <= batches; ++i) {
    Overflow::Batch* const batch = overflow.empty_batch();
    batch->items[0] = 2 * i;
    batch->count = 1;
    overflow.put(batch);
  }
}

std::vector<Item> steal_from(Overflow& overflow) {
  Batches batches;
  std::vector<Item> items;
  for (std::size_t i = 0, n = overflow.take_oldest(batches); i < n; ++i) {
    items.push_back(batches[i]->items[0]);
    Overflow::give_back(batches[i]);
  }
  return items;
}

TEST(Overflow, IsEmptyAtFirst) {
  Overflow overflow;
  EXPECT_TRUE(overflow.empty());
  EXPECT_EQ(overflow.take_newest(), nullptr);
  EXPECT_TRUE(steal_from(overflow).empty());
}

TEST(Overflow, TheOwnerGetsTheNewestAndThievesTheOldest) {
  Overflow overflow;
  fill(overflow, 3);
  Overflow::Batch* const newest = overflow.take_newest();
  ASSERT_NE(newest, nullptr);
  EXPECT_EQ(newest->items[0], 6u);
  Overflow::give_back(newest);
  EXPECT_EQ(steal_from(overflow), std::vector<Item>{2});
  EXPECT_EQ(steal_from(overflow), std::vector<Item>{4});
  EXPECT_TRUE(overflow.empty());
}

TEST(Overflow, AThiefTakesHalfAndNoMoreThanEight) {
  Overflow overflow;
  fill(overflow, 18);
  EXPECT_EQ(steal_from(overflow), (std::vector<Item>{2, 4, 6, 8, 10, 12, 14, 16}));
  EXPECT_EQ(steal_from(overflow), (std::vector<Item>{18, 20, 22, 24, 26}));
  EXPECT_EQ(steal_from(overflow), (std::vector<Item>{28, 30, 32}));
  EXPECT_EQ(steal_from(overflow), std::vector<Item>{34});
  EXPECT_EQ(steal_from(overflow), std::vector<Item>{36});
  EXPECT_TRUE(overflow.empty());
}

TEST(Overflow, BatchesGivenBackAreUsedAgain) {
  Overflow overflow;
  fill(overflow, 1);
  Overflow::Batch* const batch = overflow.take_newest();
  Overflow::give_back(batch);
  EXPECT_EQ(overflow.empty_batch(), batch);
  overflow.put(batch);  // for the destructor to find
}

TEST(Overflow, ABatchThatWasStolenGoesHomeToWhoMadeIt) {
  Overflow victim;
  fill(victim, 2);
  Batches batches;
  ASSERT_EQ(victim.take_oldest(batches), 1u);
  Overflow::give_back(batches[0]);
  EXPECT_EQ(victim.empty_batch(), batches[0]);
  victim.put(batches[0]);
}

}  // namespace
}  // namespace weir::sched
