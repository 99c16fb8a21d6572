// SPDX-License-Identifier: Apache-2.0

#include "sched/hand.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weir::sched {
namespace {

using Item = StealDeque::Item;
constexpr Item item(std::uintptr_t n) { return n << 1; }

std::vector<Item> all_of(Hand& hand) {
  StealDeque::Batch batch;
  const std::uint32_t count = hand.take_all(batch);
  return {batch.begin(), batch.begin() + count};
}

TEST(Hand, GivesItsOwnerTheNewestFirst) {
  StealDeque deque;
  Hand hand;
  EXPECT_FALSE(hand.fill(deque));
  EXPECT_EQ(hand.take(), 0u);
  constexpr Item kLeft = 2, kAll = Hand::kMost + kLeft;
  for (Item i = 1; i <= kAll; ++i) ASSERT_TRUE(deque.push(item(i)));
  ASSERT_TRUE(hand.fill(deque));
  EXPECT_EQ(hand.size(), Hand::kMost);
  EXPECT_EQ(deque.size(), kLeft);
  for (Item i = kAll; i > kLeft; --i) EXPECT_EQ(hand.take(), item(i));
  EXPECT_TRUE(hand.empty());
  EXPECT_EQ(hand.take(), 0u);
}

TEST(Hand, GivesOthersAllThatIsLeft) {
  StealDeque deque;
  Hand hand;
  EXPECT_TRUE(all_of(hand).empty());
  for (Item i = 1; i <= 4; ++i) ASSERT_TRUE(deque.push(item(i)));
  ASSERT_TRUE(hand.fill(deque));
  EXPECT_EQ(hand.take(), item(4));
  EXPECT_EQ(all_of(hand), (std::vector{item(1), item(2), item(3)}));
  EXPECT_EQ(hand.size(), 0u);
  EXPECT_TRUE(all_of(hand).empty()) << "nobody takes them twice";
  EXPECT_EQ(hand.take(), 0u);
  EXPECT_TRUE(hand.empty());
  ASSERT_TRUE(deque.push(item(5)));
  ASSERT_TRUE(hand.fill(deque));
  EXPECT_EQ(hand.take(), item(5));
}

}  // namespace
}  // namespace weir::sched
