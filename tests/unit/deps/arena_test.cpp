// SPDX-License-Identifier: Apache-2.0

#include "deps/arena.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

namespace weir::deps {
namespace {

// Up to 24 MiB, which is beyond where slabs have large pages.
TEST(Arena, PiecesDoNotOverlapHoweverMuchItHolds) {
  Arena arena;
  struct Piece {
    std::byte* at;
    std::size_t bytes;
  };
  std::vector<Piece> pieces;
  std::size_t total = 0;
  for (std::size_t i = 0; total < std::size_t{24} << 20; ++i) {
    const std::size_t bytes = i % 7 == 0 ? 64 << (i % 13) : 32 + 32 * (i % 20);
    auto* const at = static_cast<std::byte*>(arena.allocate(bytes));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(at) % (bytes % 64 == 0 ? 64 : 32), 0u);
    std::memset(at, static_cast<int>(i % 251), bytes);
    pieces.push_back({at, bytes});
    total += bytes;
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    ASSERT_EQ(pieces[i].at[0], static_cast<std::byte>(i % 251));
    ASSERT_EQ(pieces[i].at[pieces[i].bytes - 1], static_cast<std::byte>(i % 251));
  }
  EXPECT_GE(arena.system_bytes(), total);
  EXPECT_LE(arena.system_bytes(), 2 * total);
}

// A cache keeps lines by some bits of their addresses: what lists of one size append next is to be in many of its sets.
TEST(Arena, LargePiecesOfOneSizeBeginAtDifferentPlacesOfACache) {
  Arena arena;
  std::set<std::uintptr_t> places;
  for (int i = 0; i < 1000; ++i) places.insert(reinterpret_cast<std::uintptr_t>(arena.allocate(2048)) % 2048);
  EXPECT_EQ(places.size(), std::size_t{2048} / 64);
}

TEST(Arena, APieceLargerThanASlabHasRoom) {
  Arena arena;
  for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{8} << 20, std::size_t{64} << 20}) {
    auto* const at = static_cast<std::byte*>(arena.allocate(bytes));
    at[0] = at[bytes - 1] = std::byte{1};
  }
  EXPECT_GE(arena.system_bytes(), std::size_t{73} << 20);
}

TEST(Arena, ResetGivesAllBackButWhatIsKept) {
  Arena arena;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 10'000; ++i) std::memset(arena.allocate(1024), 1, 1024);
    EXPECT_GE(arena.system_bytes(), std::size_t{10'000} << 10);
    arena.reset(std::size_t{16} << 10);
    EXPECT_LE(arena.system_bytes(), std::size_t{16} << 10);
    std::memset(arena.allocate(1024), 2, 1024);
  }
}

}  // namespace
}  // namespace weir::deps
