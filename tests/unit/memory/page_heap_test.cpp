// SPDX-License-Identifier: Apache-2.0

#include "memory/page_heap.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace weir::memory {
namespace {

constexpr auto kNone = PageHeap::kNone;

PageHeap heap_of(PageHeap::Index pages) {
  PageHeap heap(pages);
  heap.free(0, pages);
  return heap;
}

TEST(PageHeap, HasNoPagesAtFirst) {
  PageHeap heap(100);
  EXPECT_EQ(heap.allocate(1), kNone);
  EXPECT_EQ(heap.largest_hole(), 0u);
}

TEST(PageHeap, GivesEveryPageOnce) {
  PageHeap heap = heap_of(3);
  EXPECT_EQ(heap.allocate(2), 0u);
  EXPECT_EQ(heap.allocate(1), 2u);
  EXPECT_EQ(heap.allocate(1), kNone);
  EXPECT_EQ(heap.free_pages(), 0u);
}

TEST(PageHeap, TakesTheLeastHoleThatFitsAndOfEqualsTheFirst) {
  PageHeap heap(100);
  heap.free(0, 9);
  heap.free(20, 4);
  heap.free(40, 5);
  heap.free(60, 4);
  EXPECT_EQ(heap.allocate(4), 20u);
  EXPECT_EQ(heap.allocate(4), 60u);
  EXPECT_EQ(heap.allocate(4), 40u);
  EXPECT_EQ(heap.allocate(4), 0u);
  EXPECT_EQ(heap.allocate(6), kNone);
}

TEST(PageHeap, ResizesPagesIntoTheHoleBehindThem) {
  PageHeap heap = heap_of(10);
  ASSERT_EQ(heap.allocate(2), 0u);
  EXPECT_TRUE(heap.resize(0, 2, 6));
  EXPECT_EQ(heap.allocated(0), 6u);
  EXPECT_EQ(heap.hole_at(6), 4u);
  EXPECT_EQ(heap.free_pages(), 4u);
  EXPECT_FALSE(heap.resize(0, 6, 11));
  EXPECT_EQ(heap.hole_at(6), 4u);
  EXPECT_TRUE(heap.resize(0, 6, 10));
  EXPECT_EQ(heap.free_pages(), 0u);
  EXPECT_TRUE(heap.resize(0, 10, 3));
  EXPECT_EQ(heap.allocated(0), 3u);
  EXPECT_EQ(heap.largest_hole(), 7u);
}

TEST(PageHeap, JoinsNeighboursInAnyOrder) {
  const std::vector<std::vector<PageHeap::Index>> orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                            {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : orders) {
    PageHeap heap(30);
    for (const auto part : order) heap.free(part * 10, 10);
    EXPECT_EQ(heap.largest_hole(), 30u);
    EXPECT_EQ(heap.hole_before(30), 30u);
  }
}

TEST(PageHeap, TellsTheHoleThatEndsAtAPage) {
  PageHeap heap = heap_of(10);
  EXPECT_EQ(heap.allocate(4), 0u);
  EXPECT_EQ(heap.hole_before(10), 6u);
  EXPECT_EQ(heap.hole_before(4), 0u);
  EXPECT_EQ(heap.hole_before(0), 0u);
}

// Holes as a map from first page to size: obviously right, and slow.
class Model {
 public:
  void free(PageHeap::Index first, PageHeap::Index pages) {
    auto hole = holes_.emplace(first, pages).first;
    if (auto next = std::next(hole); next != holes_.end() && hole->first + hole->second == next->first) {
      hole->second += next->second;
      holes_.erase(next);
    }
    if (hole == holes_.begin()) return;
    if (auto previous = std::prev(hole); previous->first + previous->second == hole->first) {
      previous->second += hole->second;
      holes_.erase(hole);
    }
  }
  PageHeap::Index allocate(PageHeap::Index pages) {
    auto best = holes_.end();
    for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
      if (hole->second >= pages && (best == holes_.end() || hole->second < best->second)) best = hole;
    }
    if (best == holes_.end()) return kNone;
    const auto [first, size] = *best;
    holes_.erase(best);
    if (size > pages) holes_.emplace(first + pages, size - pages);
    return first;
  }

 private:
  std::map<PageHeap::Index, PageHeap::Index> holes_;
};

TEST(PageHeap, AgreesWithASimpleModelOnRandomRequests) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr PageHeap::Index kPages = 2000;
  PageHeap heap = heap_of(kPages);
  Model model;
  model.free(0, kPages);
  std::vector<std::pair<PageHeap::Index, PageHeap::Index>> taken;
  for (int i = 0; i < 100000; ++i) {
    if (taken.empty() || random() % 2 == 0) {
      const auto pages = static_cast<PageHeap::Index>(1 + random() % (random() % 8 == 0 ? 200 : 12));
      const auto first = heap.allocate(pages);
      ASSERT_EQ(first, model.allocate(pages)) << "request " << i;
      if (first != kNone) taken.emplace_back(first, pages);
    } else {
      std::swap(taken[random() % taken.size()], taken.back());
      heap.free(taken.back().first, taken.back().second);
      model.free(taken.back().first, taken.back().second);
      taken.pop_back();
    }
  }
  for (const auto& [first, pages] : taken) heap.free(first, pages);
  EXPECT_EQ(heap.largest_hole(), kPages);
  EXPECT_EQ(heap.free_pages(), kPages);
}

}  // namespace
}  // namespace weir::memory
