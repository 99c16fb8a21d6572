// SPDX-License-Identifier: Apache-2.0

#include "alloc/tier_heap.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
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

TEST_F(SmallHbm, ItsPeakIsOfAllThatIsUsedAtATime) {
  for (void* data : fill(Reach::nearest, kMiB)) heap_.free(data);
  EXPECT_EQ(heap_.use().peak, 7 * kMiB);
  EXPECT_EQ(fill(Reach::interleaved, kMiB).size(), 15u);
  EXPECT_EQ(heap_.use().peak, 15 * kMiB);
}

// A system with memory for 10 MiB of blocks, and the 4 MiB that an arena leaves to others.
class TightHbm : public testing::Test {
 protected:
  std::vector<void*> fill(Reach reach) {
    std::vector<void*> taken;
    while (void* data = heap_.allocate(kMiB, 1, reach)) {
      taken.push_back(data);
      blocks_.insert(data);
    }
    return taken;
  }

  std::uint64_t left() const {
    std::uint64_t pages = 0;
    for (void* const block : blocks_) {
      unsigned char there[kMiB / 4096];
      if (mincore(block, kMiB, there) == 0)
        pages +=
            static_cast<std::uint64_t>(std::count_if(there, std::end(there), [](int in) { return (in & 1) != 0; }));
    }
    return 14 * kMiB - std::min<std::uint64_t>(pages * 4096, 14 * kMiB);
  }

  memory::MemoryState tight() {
    memory::MemoryState state = plenty();
    state.physical = [this] { return platform::MemoryLimit{left(), "the machine"}; };
    return state;
  }

  OnOneCpu on_one_cpu_;
  std::set<void*> blocks_;  // that were ever given
  TierHeap heap_{small_machine(), TierKind::hbm, tight()};
};

TEST_F(TightHbm, WhatOneWayOfTakingItHasFreedIsThereForAnother) {
  const auto nearest = fill(Reach::nearest);
  ASSERT_EQ(nearest.size(), 7u);
  const auto beside = fill(Reach::interleaved);
  EXPECT_LT(beside.size(), 4u);
  for (void* data : nearest) heap_.free(data);
  const auto interleaved = fill(Reach::interleaved);
  EXPECT_GE(beside.size() + interleaved.size(), 9u);
  for (void* data : beside) heap_.free(data);
  for (void* data : interleaved) heap_.free(data);
  EXPECT_EQ(fill(Reach::nearest).size(), 7u);
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

// Two domains of a CPU each, of which the first one's memory is a node that systems with a single one do not have.
constexpr const char* kFarMemoryFirst = "numa:2(memory=1GiB indexes=1,0) core:1 pu:1";

// What a thread that is bound to that CPU gets of its nearest ordinary memory.
void* allocated_on(int cpu) {
  void* data = nullptr;
  std::thread([&] {
    if (platform::bind_this_thread(std::vector{cpu}))
      data = TierHeap::shared(TierKind::ddr).allocate(kMiB, 1, Reach::nearest);
  }).join();
  return data;
}

void end_by_what_a_second_bound_thread_gets() {
  setenv("HWLOC_SYNTHETIC", kFarMemoryFirst, 1);
  setenv("HWLOC_THISSYSTEM", "1", 1);
  static_cast<void>(allocated_on(0));
  std::_Exit(allocated_on(1) != nullptr ? 0 : 1);
}

TEST(TierHeap, OfThisSystemGivesEachThreadItsOwnNearestNodeWhereverTheFirstOneIsBound) {
  const std::vector<int> cpus = platform::this_thread_cpus();
  if (cpus.size() < 2 || cpus[0] != 0 || cpus[1] != 1) GTEST_SKIP() << "CPUs 0 and 1 are not for this process";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process that has read no machine
  EXPECT_EXIT(end_by_what_a_second_bound_thread_gets(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace weir::alloc
