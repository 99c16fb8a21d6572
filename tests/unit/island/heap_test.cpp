// SPDX-License-Identifier: Apache-2.0

#include "island/heap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace weir::island {
namespace {

std::byte* const kStart = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 30);  // never touched

TEST(Heap, GivesWholeLinesThatDoNotOverlap) {
  Heap heap(kStart, 1 << 16);
  std::vector<Heap::Piece> live;
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    if (live.size() < 100 && random() % 2 == 0) {
      const std::size_t bytes = random() % 3000;
      const Heap::Piece piece = heap.allocate(bytes);
      if (piece.data == nullptr) continue;
      ASSERT_EQ((piece.data - kStart) % static_cast<std::ptrdiff_t>(kLine), 0);
      ASSERT_EQ(piece.bytes % kLine, 0u);
      ASSERT_GE(piece.bytes, std::max<std::size_t>(bytes, 1));
      ASSERT_GE(piece.data, kStart);
      ASSERT_LE(piece.data + piece.bytes, kStart + heap.bytes());
      for (const Heap::Piece& other : live)
        ASSERT_TRUE(piece.data + piece.bytes <= other.data || other.data + other.bytes <= piece.data);
      live.push_back(piece);
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      ASSERT_TRUE(heap.give_back(live.back().data));
      live.pop_back();
    }
    std::size_t used = 0;
    for (const Heap::Piece& piece : live) used += piece.bytes;
    ASSERT_EQ(heap.used(), used);
  }
  for (const Heap::Piece& piece : live) ASSERT_TRUE(heap.give_back(piece.data));
  EXPECT_EQ(heap.largest_free(), heap.bytes());  // neighbours were joined
}

TEST(Heap, SaysWhatWasUsedBefore) {
  Heap heap(kStart, 1024);
  const Heap::Piece first = heap.allocate(128);
  EXPECT_FALSE(first.used_before);
  ASSERT_TRUE(heap.give_back(first.data));
  EXPECT_TRUE(heap.allocate(64).used_before);
  EXPECT_TRUE(heap.allocate(128).used_before);  // half of it
  EXPECT_FALSE(heap.allocate(128).used_before);
}

TEST(Heap, AlignsToWhereTheMemoryBegins) {
  constexpr std::size_t kTurn = 3 * 1024;  // of three places
  Heap heap(kStart, 1 << 16, true, 1024);
  for (const std::size_t bytes : {64, 5000, 64, 9000}) {
    const auto* const data = heap.allocate(bytes, kTurn).data;
    EXPECT_EQ(static_cast<std::size_t>(data - kStart + 1024) % kTurn, 0u);
    static_cast<void>(heap.allocate(100));
  }
}

TEST(Heap, SaysHowMuchOfAPieceIsThereFromAnAddressOn) {
  Heap heap(kStart, 1024);
  std::byte* const first = heap.allocate(100).data;
  std::byte* const second = heap.allocate(64).data;
  EXPECT_EQ(heap.bytes_from(first), 128u);
  EXPECT_EQ(heap.bytes_from(first + 127), 1u);
  EXPECT_EQ(heap.bytes_from(second), 64u);
  EXPECT_EQ(heap.bytes_from(second + 64), 0u);
  EXPECT_EQ(heap.bytes_from(kStart - 1), 0u);
  EXPECT_EQ(heap.bytes_from(kStart + 1024), 0u);
  EXPECT_EQ(heap.bytes_from(first + 64), 64u);
  ASSERT_TRUE(heap.give_back(first));
  EXPECT_EQ(heap.bytes_from(first + 64), 0u);
}

TEST(Heap, RefusesWhatItHasNot) {
  Heap heap(kStart, 1024);
  EXPECT_EQ(heap.allocate(1025).data, nullptr);
  EXPECT_EQ(heap.allocate(~std::size_t{0}).data, nullptr);
  const Heap::Piece all = heap.allocate(1024);
  ASSERT_NE(all.data, nullptr);
  EXPECT_EQ(heap.allocate(1).data, nullptr);
  EXPECT_FALSE(heap.give_back(all.data + 64));
  EXPECT_TRUE(heap.give_back(all.data));
  EXPECT_FALSE(heap.give_back(all.data));
}

TEST(Heap, LargeArraysLieApartModuloAPage) {
  alignas(kLine) static std::byte memory[1];
  Heap heap(memory, std::size_t{1} << 24);  // its memory is never touched
  const auto* const first = heap.allocate(std::size_t{1} << 20).data;
  const auto* const second = heap.allocate(std::size_t{1} << 20).data;
  EXPECT_NE((second - first) % 4096, 0);
  // Where there is room for the array alone it gets that.
  Heap exact(memory, std::size_t{1} << 20);
  EXPECT_NE(exact.allocate(std::size_t{1} << 20).data, nullptr);
}

}  // namespace
}  // namespace weir::island
