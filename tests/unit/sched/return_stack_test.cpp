// SPDX-License-Identifier: Apache-2.0

#include "sched/return_stack.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace weir::sched {
namespace {

struct Lent {
  static inline std::atomic<int> alive{0};
  explicit Lent(std::uint32_t n) : value(n) { ++alive; }
  ~Lent() { --alive; }
  std::uint32_t value;
  Lent* next = nullptr;
};

TEST(ReturnStack, GivesTheLastOneFirst) {
  ReturnStack<Lent> stack;
  EXPECT_EQ(stack.pop(), nullptr);
  Lent a(1), b(2), c(3);
  stack.push(&a);
  stack.push(&b);
  EXPECT_EQ(stack.pop(), &b);
  stack.push(&c);  // what was taken before it comes first
  EXPECT_EQ(stack.pop(), &a);
  EXPECT_EQ(stack.pop(), &c);
  EXPECT_EQ(stack.pop(), nullptr);
}

TEST(ReturnStack, KnowsWhatComesNextAsSoonAsItIsThere) {
  ReturnStack<Lent> stack;
  Lent a(1), b(2);
  stack.push(&a);
  EXPECT_EQ(stack.next(), nullptr);  // nobody has looked yet
  stack.push(&b);
  ASSERT_EQ(stack.pop(), &b);
  EXPECT_EQ(stack.next(), &a);
  stack.push(&b);
  ASSERT_EQ(stack.pop(), &a);  // the last of those taken before: b was taken meanwhile
  EXPECT_EQ(stack.next(), &b);
  EXPECT_EQ(stack.pop(), &b);
  EXPECT_EQ(stack.next(), nullptr);
}

TEST(ReturnStack, EndsWhatIsInIt) {
  {
    ReturnStack<Lent> stack;
    for (std::uint32_t i = 0; i < 3; ++i) stack.push(new Lent(i));
    delete stack.pop();  // one ends, one has been taken, the others were only pushed
    stack.push(new Lent(3));
    ASSERT_EQ(Lent::alive, 3);
  }
  EXPECT_EQ(Lent::alive, 0);
}

// The owner writes a plain field of what comes back, and lends it again.
TEST(ReturnStack, BringsBackWhatWasWritten) {
  constexpr std::uint32_t kRounds = 20000;
  ReturnStack<Lent> stack;
  std::atomic<Lent*> lent{nullptr};
  std::thread other([&] {
    for (std::uint32_t i = 0; i < kRounds; ++i) {
      Lent* item = nullptr;
      while ((item = lent.exchange(nullptr, std::memory_order_acquire)) == nullptr) std::this_thread::yield();
      ++item->value;
      stack.push(item);
    }
  });
  auto* item = new Lent(0);
  for (std::uint32_t i = 0; i < kRounds; ++i) {
    ++item->value;
    lent.store(item, std::memory_order_release);
    while ((item = stack.pop()) == nullptr) std::this_thread::yield();
  }
  other.join();
  EXPECT_EQ(item->value, 2 * kRounds);
  delete item;
}

}  // namespace
}  // namespace weir::sched
