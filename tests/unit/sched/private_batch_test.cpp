// SPDX-License-Identifier: Apache-2.0

#include "sched/private_batch.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weir::sched {
namespace {

using Item = StealDeque::Item;
constexpr Item item(std::uintptr_t n) { return n << 1; }

std::vector<Item> all_of(PrivateBatch& batch) {
  StealDeque::Batch items;
  const std::uint32_t count = batch.take_all(items);
  return {items.begin(), items.begin() + count};
}

TEST(PrivateBatch, GivesItsOwnerTheNewestFirst) {
  StealDeque deque;
  PrivateBatch batch;
  EXPECT_FALSE(batch.fill(deque));
  EXPECT_EQ(batch.take(), 0u);
  constexpr Item kLeft = 2, kAll = PrivateBatch::kMost + kLeft;
  for (Item i = 1; i <= kAll; ++i) ASSERT_TRUE(deque.push(item(i)));
  ASSERT_TRUE(batch.fill(deque));
  EXPECT_EQ(batch.size(), PrivateBatch::kMost);
  EXPECT_EQ(deque.size(), kLeft);
  for (Item i = kAll; i > kLeft; --i) EXPECT_EQ(batch.take(), item(i));
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.take(), 0u);
}

TEST(PrivateBatch, GivesOthersAllThatIsLeft) {
  StealDeque deque;
  PrivateBatch batch;
  EXPECT_TRUE(all_of(batch).empty());
  for (Item i = 1; i <= 4; ++i) ASSERT_TRUE(deque.push(item(i)));
  ASSERT_TRUE(batch.fill(deque));
  EXPECT_EQ(batch.take(), item(4));
  EXPECT_EQ(all_of(batch), (std::vector{item(1), item(2), item(3)}));
  EXPECT_EQ(batch.size(), 0u);
  EXPECT_TRUE(all_of(batch).empty()) << "no thread takes them twice";
  EXPECT_EQ(batch.take(), 0u);
  EXPECT_TRUE(batch.empty());
  ASSERT_TRUE(deque.push(item(5)));
  ASSERT_TRUE(batch.fill(deque));
  EXPECT_EQ(batch.take(), item(5));
}

}  // namespace
}  // namespace weir::sched
