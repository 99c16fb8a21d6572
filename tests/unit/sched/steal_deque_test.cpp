// SPDX-License-Identifier: Apache-2.0

#include "sched/steal_deque.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weir::sched {
namespace {

using Item = StealDeque::Item;
constexpr Item deque_item(std::uintptr_t n) { return n << 1; }
constexpr Item alone(std::uintptr_t n) { return deque_item(n) | StealDeque::kAlone; }

std::vector<Item> steal_from(StealDeque& deque) {
  StealDeque::Batch batch;
  const std::uint32_t count = deque.steal(batch);
  return {batch.begin(), batch.begin() + count};
}

TEST(StealDeque, IsEmptyAtFirst) {
  StealDeque deque;
  EXPECT_EQ(deque.pop(), 0u);
  EXPECT_TRUE(steal_from(deque).empty());
  EXPECT_EQ(deque.size(), 0u);
}

TEST(StealDeque, TheOwnerGetsTheNewestAndAThiefTheOldest) {
  StealDeque deque;
  for (Item i = 1; i <= 3; ++i) ASSERT_TRUE(deque.push(deque_item(i)));
  EXPECT_EQ(deque.pop(), deque_item(3));
  EXPECT_EQ(steal_from(deque), (std::vector{deque_item(1)}));
  EXPECT_EQ(deque.pop(), deque_item(2));
  EXPECT_EQ(deque.pop(), 0u);
}

TEST(StealDeque, TheOwnerGetsTheOldestWhenItAsksForThat) {
  StealDeque deque;
  EXPECT_EQ(deque.pop_oldest(), 0u);
  for (Item i = 1; i <= 4; ++i) ASSERT_TRUE(deque.push(deque_item(i)));
  EXPECT_EQ(deque.pop_oldest(), deque_item(1));
  EXPECT_EQ(deque.pop(), deque_item(4));
  EXPECT_EQ(deque.pop_oldest(), deque_item(2));
  EXPECT_EQ(deque.pop_oldest(), deque_item(3));
  EXPECT_EQ(deque.pop_oldest(), 0u);
  EXPECT_EQ(deque.pop(), 0u);
}

TEST(StealDeque, TheOldestIsLeftWhenTheDequeEndsElsewhere) {
  StealDeque deque;
  for (Item i = 1; i <= 3; ++i) ASSERT_TRUE(deque.push(deque_item(i)));
  const std::uint32_t end = deque.end();
  EXPECT_EQ(deque.pop_oldest_up_to(end), deque_item(1));
  ASSERT_TRUE(deque.push(deque_item(4)));
  EXPECT_EQ(deque.pop_oldest_up_to(end), 0u);
  EXPECT_EQ(deque.pop(), deque_item(4));
  EXPECT_EQ(deque.pop_oldest_up_to(end), deque_item(2));
  EXPECT_EQ(deque.pop(), deque_item(3));
  EXPECT_EQ(deque.pop_oldest_up_to(end), 0u);
}

TEST(StealDeque, TheOldestIsLeftWhenItIsMarked) {
  StealDeque deque;
  ASSERT_TRUE(deque.push(alone(1)));
  ASSERT_TRUE(deque.push(deque_item(2)));
  EXPECT_EQ(deque.pop_oldest(), 0u);
  EXPECT_EQ(deque.pop(), deque_item(2));
  EXPECT_EQ(deque.pop(), alone(1));
}

std::vector<Item> some_of(StealDeque& deque, std::uint32_t most) {
  std::vector<Item> out(most);
  out.resize(deque.pop_some(out.data(), most));
  return out;
}

TEST(StealDeque, TheOwnerGetsSeveralOfTheNewestOldestFirst) {
  StealDeque deque;
  for (Item i = 1; i <= 5; ++i) ASSERT_TRUE(deque.push(deque_item(i)));
  EXPECT_EQ(some_of(deque, 3), (std::vector{deque_item(3), deque_item(4), deque_item(5)}));
  EXPECT_EQ(some_of(deque, 3), (std::vector{deque_item(1), deque_item(2)}));
  EXPECT_TRUE(some_of(deque, 3).empty());
  EXPECT_EQ(deque.size(), 0u);
}

TEST(StealDeque, WhatIsMarkedIsNotAmongSeveral) {
  StealDeque deque;
  ASSERT_TRUE(deque.push(deque_item(1)));
  ASSERT_TRUE(deque.push(alone(2)));
  ASSERT_TRUE(deque.push(deque_item(3)));
  EXPECT_TRUE(some_of(deque, 2).empty());
  EXPECT_EQ(some_of(deque, 1), (std::vector{deque_item(3)}));
  EXPECT_EQ(deque.pop(), alone(2));
}

TEST(StealDeque, PushesAllInReverseOrNone) {
  StealDeque deque;
  const std::vector items{deque_item(1), deque_item(2), deque_item(3)};
  ASSERT_TRUE(deque.push_reversed(items.data(), 3));
  EXPECT_EQ(steal_from(deque), (std::vector{deque_item(3), deque_item(2)}));
  EXPECT_EQ(deque.pop(), deque_item(1));
  for (Item i = 1; i <= StealDeque::kCapacity - 2; ++i) ASSERT_TRUE(deque.push(deque_item(i)));
  EXPECT_FALSE(deque.push_reversed(items.data(), 3));
  EXPECT_EQ(deque.size(), StealDeque::kCapacity - 2);
  EXPECT_TRUE(deque.push_reversed(items.data(), 2));
  EXPECT_FALSE(deque.push(deque_item(9)));
}

TEST(StealDeque, AThiefTakesHalfRoundedUpOldestFirst) {
  StealDeque deque;
  for (Item i = 1; i <= 7; ++i) ASSERT_TRUE(deque.push(deque_item(i)));
  EXPECT_EQ(steal_from(deque), (std::vector{deque_item(1), deque_item(2), deque_item(3), deque_item(4)}));
  EXPECT_EQ(steal_from(deque), (std::vector{deque_item(5), deque_item(6)}));
  EXPECT_EQ(steal_from(deque), (std::vector{deque_item(7)}));
  EXPECT_TRUE(steal_from(deque).empty());
}

TEST(StealDeque, AThiefTakesNoMoreThanABatch) {
  StealDeque deque;
  for (Item i = 1; i <= 1000; ++i) ASSERT_TRUE(deque.push(deque_item(i)));
  EXPECT_EQ(steal_from(deque).size(), StealDeque::kMaxBatch);
  EXPECT_EQ(deque.size(), 1000 - StealDeque::kMaxBatch);
}

TEST(StealDeque, WhatIsMarkedIsTakenAlone) {
  StealDeque deque;
  ASSERT_TRUE(deque.push(alone(1)));
  for (Item i = 2; i <= 9; ++i) ASSERT_TRUE(deque.push(deque_item(i)));
  EXPECT_EQ(steal_from(deque), (std::vector{alone(1)}));
}

TEST(StealDeque, ABatchEndsBeforeWhatIsMarked) {
  StealDeque deque;
  for (Item i = 1; i <= 2; ++i) ASSERT_TRUE(deque.push(deque_item(i)));
  ASSERT_TRUE(deque.push(alone(3)));
  for (Item i = 4; i <= 20; ++i) ASSERT_TRUE(deque.push(deque_item(i)));
  EXPECT_EQ(steal_from(deque), (std::vector{deque_item(1), deque_item(2)}));
  EXPECT_EQ(steal_from(deque), (std::vector{alone(3)}));
}

TEST(StealDeque, RefusesWhatDoesNotFitAndKeepsTheRest) {
  StealDeque deque;
  for (Item i = 1; i <= StealDeque::kCapacity; ++i) ASSERT_TRUE(deque.push(deque_item(i)));
  EXPECT_FALSE(deque.push(deque_item(9999)));
  EXPECT_EQ(deque.pop(), deque_item(StealDeque::kCapacity));
  EXPECT_TRUE(deque.push(deque_item(9999)));
  EXPECT_EQ(steal_from(deque).front(), deque_item(1));
  EXPECT_TRUE(deque.push(deque_item(10000)));
  EXPECT_EQ(deque.pop(), deque_item(10000));
}

TEST(StealDeque, GoesRoundItsRingManyTimes) {
  StealDeque deque;
  Item next = 1, oldest = 1;
  for (int round = 0; round < 20000; ++round) {
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(deque.push(deque_item(next++)));
    for (const Item taken : steal_from(deque)) ASSERT_EQ(taken, deque_item(oldest++));
    ASSERT_EQ(deque.pop(), deque_item(--next));
    while (deque.size() > 2000) {
      for (const Item taken : steal_from(deque)) ASSERT_EQ(taken, deque_item(oldest++));
    }
  }
  while (const Item taken = deque.pop()) ASSERT_EQ(taken, deque_item(--next));
  EXPECT_EQ(next, oldest);
}

TEST(StealDeque, ItsVersionChangesWithEachPushAndRemoval) {
  StealDeque deque;
  const std::uint64_t empty = deque.version();
  ASSERT_TRUE(deque.push(deque_item(1)));
  const std::uint64_t one = deque.version();
  EXPECT_NE(one, empty);
  EXPECT_EQ(deque.version(), one);
  ASSERT_EQ(deque.pop(), deque_item(1));
  EXPECT_NE(deque.version(), empty);
  ASSERT_TRUE(deque.push(deque_item(1)));
  EXPECT_NE(deque.version(), one);
}

TEST(StealDeque, APopThatFindsNothingLeavesItUsable) {
  StealDeque deque;
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(deque.push(deque_item(1)));
    ASSERT_EQ(steal_from(deque).size(), 1u);
    ASSERT_EQ(deque.pop(), 0u);
    ASSERT_EQ(deque.size(), 0u);
  }
}

}  // namespace
}  // namespace weir::sched
