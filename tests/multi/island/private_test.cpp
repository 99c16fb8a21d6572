// SPDX-License-Identifier: Apache-2.0

// Tasks that write the same memory at the same time: private copies, merged by the master.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <numeric>

#include "processes.hpp"

namespace weir::island {
namespace {

INSTANTIATE_TEST_SUITE_P(Kinds, OnIslands,
                         testing::Combine(testing::Values(IslandMemory::coherent, IslandMemory::flush,
                                                          IslandMemory::checked),
                                          testing::Values(1, 3)),
                         name_of);

TEST_P(OnIslands, ConcurrentTasksChangeDifferentElementsOfOneLine) {
  Master master(options());
  auto* const x = master.allocate<int>(16);
  for (int i = 0; i < 16; ++i) x[i] = 100 * i;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 16; ++i)
      master.spawn(concurrent(x, 16), [i](std::span<int> s) { s[static_cast<std::size_t>(i)] += i + 1; });
    master.spawn(inout(x, 16), [](std::span<int> s) { s[0] += 1000; });
  }
  master.wait();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(x[i], 100 * i + 3 * (i + 1) + (i == 0 ? 3000 : 0));
}

TEST_P(OnIslands, ConcurrentTilesOfAWatchedArrayAreMerged) {
  Master master(options());
  auto* const data = master.allocate<float>(8 * 32);
  const Watched<float> array(data, 8, 32, 32, 4, 16);
  for (std::size_t i = 0; i < 8; ++i) {
    master.spawn(concurrent(array.tile(0, 0, 8, 16)), [i](View2D<float> tile) {
      for (std::size_t x = 0; x < 16; ++x) tile(i, x) += static_cast<float>(i + x);
    });
  }
  master.wait();
  for (std::size_t y = 0; y < 8; ++y)
    for (std::size_t x = 0; x < 32; ++x) ASSERT_EQ(data[y * 32 + x], x < 16 ? static_cast<float>(x + y) : 0.0f);
}

TEST_P(OnIslands, ReductionsOfTwoObjectsInOneLineGiveTheirSums) {
  Master master(options());
  auto* const sums = master.allocate<std::uint64_t>(2);
  auto* const seen = master.allocate<std::uint64_t>(1);
  sums[0] = 7;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    master.spawn(reduce(sums[0], std::plus<>(), std::uint64_t{0}), [i](std::uint64_t& sum) { sum += i; });
    master.spawn(reduce(sums[1], std::plus<>(), std::uint64_t{0}), [i](std::uint64_t& sum) { sum += i * i; });
    if (i == 20) master.spawn(in(sums[0]), out(*seen), [](const std::uint64_t& sum, std::uint64_t& to) { to = sum; });
  }
  master.wait();
  EXPECT_EQ(sums[0], 7u + 820);
  EXPECT_EQ(sums[1], 40u * 41 * 81 / 6);
  EXPECT_EQ(*seen, 7u + 210);
}

// Each sees what those of the other mode before it have done.
TEST_P(OnIslands, ReductionsAndConcurrentTasksOfOneObjectAreOrdered) {
  Master master(options());
  auto* const x = master.allocate<int>(2);
  int expected = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 3; ++i) {
      master.spawn(reduce(x[0], std::plus<>(), 0), [i](int& copy) { copy += 100 * i + 5; });
      expected += 100 * i + 5;
    }
    master.spawn(concurrent(x, 2), [](std::span<int> s) { s[0] *= 3; });
    master.spawn(concurrent(x, 2), [](std::span<int> s) { ++s[1]; });
    expected *= 3;
  }
  master.wait();
  EXPECT_EQ(x[0], expected);
  EXPECT_EQ(x[1], 4);
}

struct Longs {
  long a, b;
};
struct AddLongs {
  Longs operator()(const Longs& x, const Longs& y) const { return {x.a + y.a, x.b + y.b}; }
};

// The first of each two has more to do, so that its copy is merged first only because it was spawned first.
TEST_P(OnIslands, ReductionsWithDifferentOperationsAreOrdered) {
  Master master(options());
  auto* const x = master.allocate<Longs>(1);
  const auto work = [] {
    [[maybe_unused]] volatile int last = 0;
    for (int i = 0; i < 200000; ++i) last = i;
  };
  for (int round = 0; round < 5; ++round) {
    *x = {1, 0};
    master.spawn(reduce(x->a, std::plus<>(), 0L), [work](long& copy) { work(), copy += 4; });
    master.spawn(reduce(x->a, std::multiplies<>(), 1L), [](long& copy) { copy *= 10; });
    master.wait();
    EXPECT_EQ(x->a, 50);
    master.spawn(reduce(x->a, std::multiplies<>(), 1L), [work](long& copy) { work(), copy *= 2; });
    master.spawn(reduce(*x, AddLongs(), Longs{0, 0}), [](Longs& copy) { copy = {7, 1}; });  // of the whole
    master.wait();
    EXPECT_EQ(x->a, 107);
    EXPECT_EQ(x->b, 1);
    master.spawn(inout(*x), [work](Longs& whole) {
      weir::island::spawn(reduce(whole.a, std::plus<>(), 0L), [work](long& copy) { work(), copy += 3; });
      weir::island::spawn(reduce(whole.a, std::multiplies<>(), 1L), [](long& copy) { copy *= 2; });
    });
    master.wait();
    EXPECT_EQ(x->a, 220);
  }
}

struct Affine {
  std::uint64_t factor, term;
};
struct Then {
  Affine operator()(const Affine& a, const Affine& b) const {
    return {a.factor * b.factor, a.term * b.factor + b.term};
  }
};

// The operation is associative and not commutative.
TEST_P(OnIslands, OrderedReductionsAreFoldedInTheOrderOfSpawning) {
  Master master(options());
  auto* const all = master.allocate<Affine>(1);
  *all = {1, 0};
  Affine expected{1, 0};
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Affine mine{2 * i + 3, i};
    master.spawn(reduce_ordered(*all, Then(), Affine{1, 0}), [mine](Affine& copy) { copy = Then()(copy, mine); });
    expected = Then()(expected, mine);
  }
  master.wait();
  EXPECT_EQ(all->factor, expected.factor);
  EXPECT_EQ(all->term, expected.term);
}

// Both are given away when they are spawned, hence before either is merged.
TEST(Islands, ConcurrentTasksThatChangeOneByteAreTold) {
  Master master(options_of(2, IslandMemory::coherent));
  auto* const x = master.allocate<int>(1);
  for (const int value : {1, 2}) master.spawn(concurrent(*x), name("clash"), [value](int& copy) { copy = value; });
  try {
    master.wait();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("task 'clash', spawned at "),
                                             testing::HasSubstr("another task, which ran at the same time")));
  }
}

}  // namespace
}  // namespace weir::island
