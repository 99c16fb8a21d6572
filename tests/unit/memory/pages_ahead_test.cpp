// SPDX-License-Identifier: Apache-2.0

// Arenas that grow over pages which were prepared for them.
#include "memory/pages_ahead.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "memory/arena.hpp"
#include "sizes.hpp"

namespace weir::memory {
namespace {

// A system that says which pages it has given, in pieces of 1 MiB, and gives at most `left` more.
struct System {
  std::vector<bool> pages = std::vector<bool>(256);
  std::size_t left = 256 * kMiB;
  std::size_t populated = 0, prepared = 0;  // bytes that were asked for
  bool says_so = false;                     // how many are left

  bool has(std::size_t from, std::size_t to) const {
    return std::all_of(pages.begin() + long(from / kMiB), pages.begin() + long(to / kMiB),
                       [](bool there) { return there; });
  }
  std::size_t given() const { return std::size_t(std::count(pages.begin(), pages.end(), true)) * kMiB; }
  bool give(std::size_t offset, std::size_t bytes) {
    for (std::size_t at = offset / kMiB; at < (offset + bytes) / kMiB; ++at) {
      if (pages[at]) continue;
      if (left < kMiB) return false;
      left -= kMiB;
      pages[at] = true;
    }
    return true;
  }
  void take_back(std::size_t offset, std::size_t bytes) {
    for (std::size_t at = offset / kMiB; at < (offset + bytes) / kMiB; ++at) {
      left += pages[at] ? kMiB : 0;
      pages[at] = false;
    }
  }
};

class SystemBacking final : public Backing {
 public:
  explicit SystemBacking(System& system) : system_(system) {}
  BackingKind kind() const noexcept override { return BackingKind::none; }
  Bytes size() const noexcept override { return {256 * kMiB}; }
  bool takes_system_memory() const noexcept override { return system_.says_so; }
  base::Status populate(std::uint64_t offset, std::size_t bytes) override {
    system_.populated += bytes;
    if (system_.give(offset, bytes)) return base::Status::success();
    release(offset, bytes);
    return {base::Code::no_space, "the system gives no more"};
  }
  bool prepare(std::uint64_t offset, std::size_t bytes) const noexcept override {
    system_.prepared += bytes;
    return system_.give(offset, bytes);
  }
  void release(std::uint64_t offset, std::size_t bytes) noexcept override { system_.take_back(offset, bytes); }

 private:
  System& system_;
};

std::unique_ptr<Arena> arena_on(System& system) {
  MemoryState state = MemoryState::of_this_system();
  state.physical = [&system] { return platform::MemoryLimit{system.left, "a limit"}; };
  auto arena = Arena::make({.name = "ddr0", .os_nodes = {}, .budget = {256 * kMiB}, .memory = state},
                           std::make_unique<SystemBacking>(system));
  EXPECT_TRUE(arena) << arena.status().message;
  return std::move(*arena);
}

TEST(PagesAhead, AnArenaGrowsOverWhatWasPreparedAndAsksForTheRest) {
  System system;
  const auto arena = arena_on(system);
  arena->prepare_growth({0, 16 * kMiB});
  EXPECT_NE(arena->allocate(16 * kMiB), Arena::kNowhere);
  EXPECT_EQ(system.populated, 0u);
  EXPECT_NE(arena->allocate(8 * kMiB), Arena::kNowhere);
  EXPECT_EQ(system.populated, 8 * kMiB);
}

TEST(PagesAhead, AnArenaAsksForNoPagesThatArePreparedAlready) {
  System system;
  const auto arena = arena_on(system);
  arena->prepare_growth({0, 16 * kMiB});
  EXPECT_NE(arena->allocate(20 * kMiB), Arena::kNowhere);
  EXPECT_EQ(system.populated, 4 * kMiB);
  EXPECT_TRUE(system.has(0, 20 * kMiB));
}

TEST(PagesAhead, NoMoreArePreparedOnceTheSystemHasRefused) {
  System system;
  const auto arena = arena_on(system);
  system.left = 8 * kMiB;
  arena->prepare_growth({0, 16 * kMiB});
  EXPECT_EQ(system.given(), 0u) << "those that came before it refused are nobody's";
  system.left = 256 * kMiB;
  arena->prepare_growth({16 * kMiB, 16 * kMiB});
  EXPECT_EQ(system.prepared, 16 * kMiB);
  EXPECT_NE(arena->allocate(16 * kMiB), Arena::kNowhere);
  EXPECT_TRUE(system.has(0, 16 * kMiB)) << "a gap is not taken for prepared";
}

TEST(PagesAhead, WhatTheArenaHasByNowIsNotAskedForAgain) {
  System system;
  const auto arena = arena_on(system);
  EXPECT_NE(arena->allocate(8 * kMiB), Arena::kNowhere);
  arena->prepare_growth({0, 8 * kMiB});
  EXPECT_EQ(system.prepared, 0u);
  arena->prepare_growth({6 * kMiB, 8 * kMiB});
  EXPECT_EQ(system.prepared, 6 * kMiB);
  EXPECT_NE(arena->allocate(6 * kMiB), Arena::kNowhere);
  EXPECT_EQ(system.populated, 8 * kMiB);
}

TEST(PagesAhead, WhatTheArenaHasStaysWhenTheSystemRefusesToPrepareMore) {
  System system;
  const auto arena = arena_on(system);
  EXPECT_NE(arena->allocate(8 * kMiB), Arena::kNowhere);
  system.left = 2 * kMiB;
  arena->prepare_growth({4 * kMiB, 8 * kMiB});
  EXPECT_TRUE(system.has(0, 8 * kMiB));
  EXPECT_EQ(system.given(), 8 * kMiB);
}

// 4 MiB and 16 KiB are left to the rest of the process.
TEST(PagesAhead, NoneArePreparedThatTheSystemHasNoRoomFor) {
  System system;
  system.says_so = true;
  const auto arena = arena_on(system);
  system.left = 13 * kMiB;
  arena->prepare_growth({0, 8 * kMiB});
  EXPECT_EQ(system.given(), 8 * kMiB);
  arena->prepare_growth({8 * kMiB, kMiB});
  EXPECT_EQ(system.given(), 8 * kMiB);
  EXPECT_NE(arena->allocate(8 * kMiB), Arena::kNowhere) << "what is prepared needs no room";
}

// The arena would like to grow by a step of 2 MiB, for which the system has 1 MiB too little, and gets on with less.
TEST(PagesAhead, WhatWasPreparedStaysWhenTheSystemRefusesALargeStep) {
  System system;
  const auto arena = arena_on(system);
  arena->prepare_growth({0, 4 * kMiB});
  system.left = 3 * kMiB;
  EXPECT_NE(arena->allocate(7 * kMiB), Arena::kNowhere);
  EXPECT_EQ(arena->populated(), 7 * kMiB);
  EXPECT_TRUE(system.has(0, 7 * kMiB));
}

TEST(PagesAhead, WhatWasPreparedGoesBackWhenTheArenaCanGrowNoMore) {
  System system;
  const auto arena = arena_on(system);
  EXPECT_NE(arena->allocate(2 * kMiB), Arena::kNowhere);
  arena->prepare_growth({2 * kMiB, 16 * kMiB});
  system.left = kMiB;
  EXPECT_EQ(arena->allocate(64 * kMiB), Arena::kNowhere);
  EXPECT_EQ(arena->failure().code, base::Code::no_space);
  EXPECT_EQ(arena->budget(), arena->populated());
  EXPECT_EQ(system.given(), arena->populated());
  arena->prepare_growth({18 * kMiB, 16 * kMiB});
  EXPECT_EQ(system.given(), arena->populated());
}

}  // namespace
}  // namespace weir::memory
