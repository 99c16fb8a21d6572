// SPDX-License-Identifier: Apache-2.0

#include "alloc/tier_heap.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "small_machine.hpp"

namespace weir::alloc {
namespace {

using memory::TierKind;

class SmallHbm : public testing::Test {
 protected:
  std::vector<void*> fill(Reach reach, std::size_t bytes) {
    std::vector<void*> taken;
    while (void* data = heap_.allocate(bytes, 1, reach)) taken.push_back(data);
    return taken;
  }

  OnOneCpu on_one_cpu_;
  TierHeap heap_{small_machine(), TierKind::hbm, plenty()};
};

TEST_F(SmallHbm, HasWhatIsFreeLessAReserve) {
  EXPECT_TRUE(heap_.exists());
  EXPECT_TRUE(heap_.status()) << heap_.status().message;
  EXPECT_EQ(heap_.use().budget, 2 * (8 * kMiB - 8 * kMiB / 20 / 4096 * 4096 - 4096));
  EXPECT_EQ(heap_.use().populated, 0u);
}

TEST_F(SmallHbm, TheNearestNodeIsFullBeforeAllOfThem) {
  const auto near = fill(Reach::nearest, kMiB);
  EXPECT_EQ(near.size(), 7u);
  const auto all = fill(Reach::all, kMiB);
  EXPECT_EQ(all.size(), 7u);
  EXPECT_EQ(heap_.allocate(kMiB, 1, Reach::all), nullptr);
  EXPECT_EQ(heap_.use().used, 14 * kMiB);
}

TEST_F(SmallHbm, WhatIsFreedCanBeHadAgain) {
  auto taken = fill(Reach::nearest, kMiB);
  heap_.free(taken.back());
  EXPECT_NE(heap_.allocate(kMiB, 1, Reach::nearest), nullptr);
}

TEST_F(SmallHbm, InterleavedMemoryIsThatOfAllNodes) {
  const auto taken = fill(Reach::interleaved, kMiB);
  EXPECT_EQ(taken.size(), 15u);
  for (void* data : taken) heap_.free(data);
  EXPECT_EQ(heap_.use().used, 0u);
}

TEST_F(SmallHbm, KnowsWhatIsItsOwnAndItsSize) {
  void* const data = heap_.allocate(100, 1, Reach::all);
  EXPECT_TRUE(heap_.owns(data));
  EXPECT_EQ(heap_.size_of(data), 128u);
  int other = 0;
  EXPECT_FALSE(heap_.owns(&other));
  EXPECT_FALSE(heap_.owns(nullptr));
  heap_.free(data);
}

TEST_F(SmallHbm, ThreadsShareItWithoutOverlap) {
  constexpr int kThreads = 4, kRounds = 20000;
  std::atomic<int> overlaps{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        const std::size_t bytes = 64 + std::size_t(i) % 5000;
        auto* const data = static_cast<unsigned char*>(heap_.allocate(bytes, 1, Reach::all));
        if (data == nullptr) continue;
        std::memset(data, t, bytes);
        if (data[0] != t || data[bytes - 1] != t) ++overlaps;
        heap_.free(data);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(overlaps, 0);
  EXPECT_EQ(heap_.use().used, 0u);
}

TEST(TierHeap, OfAKindThatTheMachineLacksIsEmptyAndSaysSo) {
  TierHeap heap(machine_without_hbm(), TierKind::hbm, plenty());
  EXPECT_FALSE(heap.exists());
  EXPECT_EQ(heap.status().message, "this machine has no hbm memory that this process may use");
  EXPECT_EQ(heap.allocate(1, 1, Reach::all), nullptr);
  EXPECT_EQ(heap.allocate(1, 1, Reach::interleaved), nullptr);
}

TEST(TierHeap, OfThisSystemIsOneForEachKind) {
  EXPECT_EQ(&TierHeap::shared(TierKind::memory), &TierHeap::shared(TierKind::memory));
  EXPECT_NE(&TierHeap::shared(TierKind::memory), &TierHeap::shared(TierKind::hbm));
  EXPECT_TRUE(TierHeap::shared(TierKind::memory).exists());
}

}  // namespace
}  // namespace weir::alloc
