// SPDX-License-Identifier: Apache-2.0

#include "memory/arena.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "sizes.hpp"

namespace weir::memory {
namespace {

// A system with so much left, and nodes with so much free.
MemoryState memory_with(std::uint64_t left, Bytes node_free = {}) {
  const auto limit = [left] { return platform::MemoryLimit{left, "its cgroup"}; };
  const auto node = [node_free](int) { return node_free; };
  return {.mappable = limit, .physical = limit, .free_now = node, .free_or_cached = node};
}

std::unique_ptr<Arena> arena_of(std::size_t budget, std::uint64_t left = std::uint64_t{1} << 40) {
  ArenaConfig config;
  config.name = "ddr0";
  config.budget = {budget};
  config.memory = memory_with(left);
  auto arena = Arena::make(std::move(config));
  EXPECT_TRUE(arena) << arena.status().message;
  return std::move(*arena);
}

void* take(Arena& arena, std::size_t bytes) { return arena.address(arena.allocate(bytes)); }
void give_back(Arena& arena, void* data, std::size_t bytes) { arena.free(arena.offset_of(data), bytes); }

bool aligned(const void* data, std::size_t to) { return reinterpret_cast<std::uintptr_t>(data) % to == 0; }

TEST(Arena, HasNoMemoryUntilItIsNeeded) {
  const auto arena = arena_of(64 * kMiB);
  EXPECT_EQ(arena->budget(), 64 * kMiB);
  EXPECT_EQ(arena->populated(), 0u);
  EXPECT_EQ(arena->used(), 0u);
  ASSERT_NE(take(*arena, 10), nullptr);
  EXPECT_EQ(arena->populated(), 2 * kMiB);
}

TEST(Arena, GivesExactlyItsBudgetAndThenNothing) {
  const auto arena = arena_of(3 * kMiB + 4 * kKiB);
  std::vector<void*> taken;
  while (void* data = take(*arena, 4 * kKiB)) taken.push_back(data);
  EXPECT_EQ(taken.size(), 3 * 256 + 1u);
  EXPECT_EQ(arena->used(), arena->budget());
  EXPECT_EQ(arena->populated(), arena->budget());
  EXPECT_TRUE(arena->failure());
  give_back(*arena, taken.back(), 4 * kKiB);
  EXPECT_NE(take(*arena, 4 * kKiB), nullptr);
}

TEST(Arena, ABlockOfTheWholeBudgetFits) {
  const auto arena = arena_of(6 * kMiB);
  void* data = take(*arena, 6 * kMiB);
  ASSERT_NE(data, nullptr);
  std::memset(data, 1, 6 * kMiB);
  EXPECT_EQ(take(*arena, 1), nullptr);
  EXPECT_EQ(take(*arena, 6 * kMiB + 1), nullptr);
}

TEST(Arena, GivesBackWhatIsFreeAndTakesItAgain) {
  const auto arena = arena_of(12 * kMiB);
  void* const first = take(*arena, 4 * kMiB);
  void* const second = take(*arena, 4 * kMiB);
  void* const third = take(*arena, 4 * kMiB);
  ASSERT_NE(third, nullptr);
  std::memset(second, 7, 4 * kMiB);
  EXPECT_EQ(arena->give_back(2 * kMiB), 0u);
  give_back(*arena, first, 4 * kMiB);
  give_back(*arena, third, 4 * kMiB);
  EXPECT_EQ(arena->give_back(2 * kMiB), 8 * kMiB);
  EXPECT_EQ(arena->populated(), 4 * kMiB);
  EXPECT_EQ(arena->used(), 4 * kMiB);
  for (int i = 0; i < 2; ++i) {
    void* const again = take(*arena, 4 * kMiB);
    ASSERT_NE(again, nullptr) << i;
    std::memset(again, 8, 4 * kMiB);
  }
  EXPECT_EQ(arena->populated(), 12 * kMiB);
  EXPECT_EQ(take(*arena, 4 * kKiB), nullptr);
  const auto* const bytes = static_cast<const char*>(second);
  EXPECT_EQ(bytes[0], 7);
  EXPECT_EQ(std::memcmp(bytes, bytes + 1, 4 * kMiB - 1), 0);
}

TEST(Arena, WhatWasGivenBackIsJoinedWithWhatIsFreeBesideIt) {
  const auto arena = arena_of(8 * kMiB);
  std::vector<void*> taken;
  while (void* data = take(*arena, 2 * kMiB)) taken.push_back(data);
  ASSERT_EQ(taken.size(), 4u);
  give_back(*arena, taken[1], 2 * kMiB);
  EXPECT_EQ(arena->give_back(2 * kMiB), 2 * kMiB);
  give_back(*arena, taken[0], 2 * kMiB);
  void* const both = take(*arena, 4 * kMiB);
  ASSERT_EQ(both, taken[0]);
  std::memset(both, 1, 4 * kMiB);
  EXPECT_EQ(take(*arena, 4 * kKiB), nullptr);
}

// Free, given back, free, and never had.
TEST(Arena, ABlockOfTheWholeBudgetIsJoinedFromAllThatIsFree) {
  const auto arena = arena_of(16 * kMiB);
  void* taken[3];
  for (void*& data : taken) ASSERT_NE(data = take(*arena, 2 * kMiB), nullptr);
  give_back(*arena, taken[1], 2 * kMiB);
  ASSERT_EQ(arena->give_back(2 * kMiB), 2 * kMiB);
  give_back(*arena, taken[0], 2 * kMiB);
  give_back(*arena, taken[2], 2 * kMiB);
  void* const all = take(*arena, 16 * kMiB);
  ASSERT_NE(all, nullptr);
  std::memset(all, 1, 16 * kMiB);
}

TEST(Arena, SmallAllocationsComeFromWhatWasGivenBack) {
  const auto arena = arena_of(4 * kMiB);
  void* const first = take(*arena, 2 * kMiB);
  ASSERT_NE(take(*arena, 2 * kMiB), nullptr);
  give_back(*arena, first, 2 * kMiB);
  EXPECT_EQ(arena->give_back(kMiB), 2 * kMiB);
  for (int i = 0; i < 512; ++i) {
    void* const data = take(*arena, 4 * kKiB);
    ASSERT_NE(data, nullptr) << i;
    std::memset(data, 1, 4 * kKiB);
  }
  EXPECT_EQ(take(*arena, 64), nullptr);
}

TEST(Arena, WhatItGivesBackItMayAskForAgainThoughItWasRefusedOnce) {
  std::uint64_t left = 64 * kMiB;
  ArenaConfig config;
  config.name = "ddr0";
  config.budget = {16 * kMiB};
  config.memory = memory_with(std::uint64_t{1} << 40);
  config.memory->physical = [&left] { return platform::MemoryLimit{left, "its cgroup"}; };
  auto made = Arena::make(std::move(config));
  ASSERT_TRUE(made);
  Arena& arena = **made;
  void* const data = take(arena, 4 * kMiB);
  ASSERT_NE(data, nullptr);
  left = 0;
  EXPECT_EQ(take(arena, 12 * kMiB), nullptr);
  give_back(arena, data, 4 * kMiB);
  EXPECT_EQ(arena.give_back(2 * kMiB), 4 * kMiB);
  left = 64 * kMiB;
  EXPECT_NE(take(arena, 4 * kMiB), nullptr);
}

TEST(Arena, ARefusalNamesTheLimitOnData) {
  ArenaConfig config;
  config.name = "ddr0";
  config.budget = {16 * kMiB};
  config.memory = memory_with(0);
  config.memory->mappable = [] { return platform::MemoryLimit{3 * kMiB, "ulimit -d"}; };
  const auto arena = Arena::make(std::move(config)).value();
  EXPECT_EQ(take(*arena, 8 * kMiB), nullptr);
  EXPECT_EQ(arena->failure().message, "ddr0: asked for 16 MiB, got 0 B: ulimit -d leaves 3 MiB; ask for less");
}

TEST(Arena, WhatTheSystemHasRefusedCanBeTriedAgain) {
  std::uint64_t left = 8 * kMiB;
  ArenaConfig config;
  config.name = "ddr0";
  config.budget = {16 * kMiB};
  config.memory = memory_with(0);
  config.memory->physical = [&left] { return platform::MemoryLimit{left, "its cgroup"}; };
  auto made = Arena::make(std::move(config));
  ASSERT_TRUE(made);
  Arena& arena = **made;
  EXPECT_EQ(take(arena, 12 * kMiB), nullptr);
  EXPECT_FALSE(arena.failure());
  left = 64 * kMiB;
  EXPECT_EQ(take(arena, 12 * kMiB), nullptr);
  arena.try_again();
  EXPECT_TRUE(arena.failure());
  EXPECT_EQ(arena.budget(), 16 * kMiB);
  EXPECT_NE(take(arena, 12 * kMiB), nullptr);
}

TEST(Arena, RoundsToPagesFromAPageOnAndToCacheLinesBelow) {
  EXPECT_EQ(Arena::charged(0), 64u);
  EXPECT_EQ(Arena::charged(1), 64u);
  EXPECT_EQ(Arena::charged(65), 128u);
  EXPECT_EQ(Arena::charged(4033), 4096u);
  EXPECT_EQ(Arena::charged(4096), 4096u);
  EXPECT_EQ(Arena::charged(4097), 8192u);
  const auto arena = arena_of(4 * kMiB);
  for (const std::size_t bytes : {1u, 63u, 64u, 65u, 1000u, 4032u}) EXPECT_TRUE(aligned(take(*arena, bytes), 64));
  for (const std::size_t bytes : {4033u, 4096u, 4097u, 100000u}) EXPECT_TRUE(aligned(take(*arena, bytes), 4096));
}

TEST(Arena, SmallObjectsShareAPage) {
  const auto arena = arena_of(2 * kMiB);
  std::vector<void*> taken;
  for (int i = 0; i < 20000; ++i) taken.push_back(take(*arena, 64));
  EXPECT_NE(taken.back(), nullptr);
  EXPECT_EQ(arena->used(), 20000u * 64);
  for (void* data : taken) give_back(*arena, data, 64);
  EXPECT_EQ(arena->used(), 0u);
  EXPECT_EQ(arena->peak(), 20000u * 64);
  EXPECT_NE(take(*arena, 2 * kMiB), nullptr) << "pages of small objects are free again";
}

TEST(Arena, SumsUpWhatAllocationsTakeOfItToThePage) {
  const auto many = [](std::size_t count, std::size_t bytes) { return std::vector<std::size_t>(count, bytes); };
  std::vector<std::size_t> of_all_sizes;
  for (std::size_t bytes = 64; bytes < 4096; bytes += 64) of_all_sizes.push_back(bytes);
  struct Row {
    std::vector<std::size_t> sizes;
    std::size_t kib;
  };
  const Row rows[] = {{{}, 0},
                      {{1}, 16},
                      {{4096}, 4},
                      {{4033}, 4},
                      {{4032}, 16},
                      {{5000, 100'000}, 8 + 100},
                      {many(256, 64), 16},
                      {many(257, 64), 32},
                      {many(4, 4032), 16},
                      {many(5, 4032), 32},
                      {{64, 64, 128, 100, 8192}, 16 + 16 + 8},
                      {of_all_sizes, 63 * 16}};
  for (const Row& row : rows) {
    Arena::Sum sum;
    for (const std::size_t bytes : row.sizes) sum.add(bytes);
    ASSERT_EQ(sum.bytes(), row.kib * kKiB);
    const auto fits = [&](std::size_t budget) {
      const auto arena = arena_of(budget);
      for (const std::size_t bytes : row.sizes)
        if (take(*arena, bytes) == nullptr) return false;
      return true;
    };
    if (row.kib == 0) continue;
    EXPECT_TRUE(fits(row.kib * kKiB)) << row.kib;
    EXPECT_FALSE(row.kib > 4 && fits((row.kib - 4) * kKiB)) << row.kib;
  }
}

TEST(Arena, JoinsWhatIsFreedToOneHole) {
  const auto arena = arena_of(8 * kMiB);
  std::vector<void*> taken;
  for (int i = 0; i < 8; ++i) taken.push_back(take(*arena, kMiB));
  for (const int i : {1, 3, 5, 7, 0, 2, 4}) give_back(*arena, taken[std::size_t(i)], kMiB);
  EXPECT_EQ(take(*arena, 7 * kMiB), nullptr);
  EXPECT_NE(take(*arena, 6 * kMiB), nullptr);
}

TEST(Arena, PopulatesAheadUpToItsBudget) {
  const auto arena = arena_of(200 * kMiB);
  EXPECT_TRUE(arena->populate({150 * kMiB}));
  EXPECT_GE(arena->populated(), 150 * kMiB);
  EXPECT_TRUE(arena->populate({200 * kMiB}));
  EXPECT_EQ(arena->populated(), 200 * kMiB);
  const base::Status more = arena->populate({201 * kMiB});
  EXPECT_EQ(more.code, base::Code::no_space);
  EXPECT_EQ(more.message, "ddr0: 201 MiB are more than its budget of 200 MiB");
}

TEST(Arena, SaysOnceForEachStepWhatItWillGrowBy) {
  const auto arena = arena_of(32 * kMiB);
  std::size_t announced = 0, steps = 0;
  std::vector<std::byte*> taken;
  do {
    const Arena::Range due = arena->growth_due();
    arena->announce(due.bytes != 0 ? due : Arena::Range{announced, 0});
    EXPECT_EQ(arena->growth_due().bytes, 0u) << "announced before";
    if (due.bytes != 0) {
      EXPECT_EQ(due.offset, announced) << "what was prepared is grown by before more is";
      announced += due.bytes;
      ++steps;
      arena->prepare_growth(due);
    }
    taken.push_back(static_cast<std::byte*>(take(*arena, kMiB)));
    if (taken.back() != nullptr) std::memset(taken.back(), int(taken.size()), kMiB);
    arena->backing().prepare(0, arena->populated());  // what is in use stays as it is
  } while (taken.back() != nullptr);
  taken.pop_back();
  EXPECT_EQ(taken.size(), 32u);
  EXPECT_EQ(announced, 32 * kMiB);
  EXPECT_GE(steps, 8u);
  for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_EQ(taken[i][kMiB - 1], std::byte(i + 1));
}

TEST(Arena, IsDueToGrowByAsMuchAsIsExpectedUpToTheLargestStep) {
  const auto arena = arena_of(256 * kMiB);
  EXPECT_EQ(arena->growth_due(10 * kMiB).bytes, 10 * kMiB);
  EXPECT_EQ(arena->growth_due(200 * kMiB).bytes, 64 * kMiB);
}

TEST(Arena, IsNotDueToGrowByLessThanAStepMoreThanWasAnnounced) {
  const auto arena = arena_of(256 * kMiB);
  ASSERT_TRUE(arena->populate({8 * kMiB}));
  arena->announce(arena->growth_due(18 * kMiB));
  EXPECT_EQ(arena->growth_due(20 * kMiB).bytes, 0u) << "its next step is of 4 MiB";
  const Arena::Range next = arena->growth_due(22 * kMiB);
  EXPECT_EQ(next.offset, 18 * kMiB);
  EXPECT_EQ(next.bytes, 4 * kMiB);
}

TEST(Arena, TellsOfEveryRangeThatItGrowsBy) {
  const auto arena = arena_of(32 * kMiB);
  std::size_t announced = 0;
  std::byte* next = nullptr;
  arena->on_growth([&](std::span<std::byte> fresh) {
    if (next != nullptr) {
      EXPECT_EQ(fresh.data(), next);
    }
    next = fresh.data() + fresh.size();
    announced += fresh.size();
    std::memset(fresh.data(), 1, fresh.size());
  });
  while (take(*arena, kMiB) != nullptr) EXPECT_EQ(announced, arena->populated());
  EXPECT_EQ(announced, 32 * kMiB);
}

TEST(Arena, StopsBeforeTheMemoryLimitAndSaysWhatThereIs) {
  const auto arena = arena_of(100 * kMiB, 40 * kMiB);
  EXPECT_NE(take(*arena, 10 * kMiB), nullptr);
  EXPECT_EQ(take(*arena, 60 * kMiB), nullptr);
  EXPECT_EQ(arena->failure().code, base::Code::no_space);
  EXPECT_EQ(arena->failure().message, "ddr0: asked for 100 MiB, got 10 MiB: its cgroup leaves 40 MiB; ask for less");
  EXPECT_EQ(arena->budget(), arena->populated()) << "later allocations do not ask the kernel again";
}

TEST(Arena, ANodeThatDoesNotExistIsAnErrorWithItsName) {
  ArenaConfig config;
  config.name = "hbm7";
  config.budget = {kMiB};
  config.os_nodes = {1000};
  const auto arena = Arena::make(std::move(config));
  ASSERT_FALSE(arena);
  EXPECT_EQ(arena.status().message.find("hbm7: cannot place memory on NUMA node 1000"), 0u) << arena.status().message;
}

TEST(Arena, OnANodeReportsWhatItObtained) {
  ArenaConfig config;
  config.name = "ddr0";
  config.budget = {16 * kMiB};
  config.os_nodes = {0};
  auto arena = Arena::make(std::move(config));
  if (!arena && arena.status().code == base::Code::unsupported) GTEST_SKIP() << arena.status().message;
  ASSERT_TRUE(arena) << arena.status().message;
  EXPECT_EQ((*arena)->obtained_share().value_or(1), 1.0);
  ASSERT_TRUE((*arena)->populate({16 * kMiB}));
  EXPECT_GT((*arena)->obtained_share().value_or(1), 0.0);
  EXPECT_LE((*arena)->large_page_share(), 1.0);
}

TEST(Arena, ANodeWithoutRoomIsNoticedBeforeItIsAsked) {
  ArenaConfig config;
  config.name = "hbm0";
  config.budget = {64 * kMiB};
  config.os_nodes = {0};
  config.memory = memory_with(std::uint64_t{1} << 40, {3 * kMiB});
  auto arena = Arena::make(std::move(config));
  if (!arena && arena.status().code == base::Code::unsupported) GTEST_SKIP() << arena.status().message;
  ASSERT_TRUE(arena) << arena.status().message;
  EXPECT_EQ((*arena)->allocate(4 * kMiB), Arena::kNowhere);
  EXPECT_EQ((*arena)->failure().message,
            "hbm0: asked for 64 MiB, got 0 B: NUMA node 0 has 3 MiB free; ask for less, or say prefer to take memory "
            "elsewhere");
}

TEST(Arena, AlignsToAnyPowerOfTwo) {
  const auto arena = arena_of(64 * kMiB);
  for (std::size_t alignment = 1; alignment <= 4 * kMiB; alignment *= 2) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, kMiB + 1}) {
      void* data = arena->address(arena->allocate_aligned(bytes, alignment));
      ASSERT_NE(data, nullptr) << alignment;
      EXPECT_TRUE(aligned(data, alignment)) << alignment;
      EXPECT_GE(arena->size_of(arena->offset_of(data)), bytes);
      std::memset(data, 1, bytes);
      arena->free(arena->offset_of(data));
    }
  }
  EXPECT_EQ(arena->used(), 0u);
  EXPECT_NE(take(*arena, 32 * kMiB), nullptr);
}

TEST(Arena, KnowsTheSizeOfWhatItGave) {
  const auto arena = arena_of(8 * kMiB);
  for (const std::size_t bytes : {1u, 64u, 65u, 4000u, 4096u, 4097u, 1000000u}) {
    void* data = take(*arena, bytes);
    EXPECT_EQ(arena->size_of(arena->offset_of(data)), Arena::charged(bytes));
    arena->free(arena->offset_of(data));
  }
  EXPECT_EQ(arena->used(), 0u);
}

TEST(Arena, KnowsItsOwnMemory) {
  const auto arena = arena_of(2 * kMiB);
  const int other = 0;
  EXPECT_TRUE(arena->contains(take(*arena, 1)));
  EXPECT_FALSE(arena->contains(&other));
}

// Every allocation is filled with its number: overlap shows as another number.
class Filled {
 public:
  explicit Filled(Arena& arena) : arena_(arena) {}

  void allocate(std::size_t bytes, unsigned char number) {
    auto* data = static_cast<unsigned char*>(take(arena_, bytes));
    if (data == nullptr) return;
    std::memset(data, number, bytes);
    charged_ += Arena::charged(bytes);
    taken_.push_back({data, bytes, number});
  }
  void free(std::size_t which) {
    std::swap(taken_[which], taken_.back());
    const auto [data, bytes, number] = taken_.back();
    EXPECT_TRUE(data[0] == number && data[bytes / 2] == number && data[bytes - 1] == number);
    give_back(arena_, data, bytes);
    charged_ -= Arena::charged(bytes);
    taken_.pop_back();
  }
  std::size_t size() const { return taken_.size(); }
  std::size_t charged() const { return charged_; }

 private:
  struct Taken {
    unsigned char* data;
    std::size_t bytes;
    unsigned char number;
  };
  Arena& arena_;
  std::vector<Taken> taken_;
  std::size_t charged_ = 0;
};

TEST(Arena, KeepsRandomAllocationsOfAllSizesApart) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto arena = arena_of(16 * kMiB);
  Filled filled(*arena);
  const std::size_t most[] = {64, 500, 4096, 40 * kKiB, kMiB};
  for (int i = 0; i < 50000; ++i) {
    if (filled.size() == 0 || random() % 2 == 0) {
      filled.allocate(1 + random() % most[random() % 5], static_cast<unsigned char>(random()));
    } else {
      filled.free(random() % filled.size());
    }
    ASSERT_EQ(arena->used(), filled.charged());
    ASSERT_LE(arena->used(), arena->budget());
  }
  while (filled.size() > 0) filled.free(filled.size() - 1);
  EXPECT_EQ(arena->used(), 0u);
  EXPECT_NE(take(*arena, 16 * kMiB), nullptr) << "all of it is one hole again";
}

}  // namespace
}  // namespace weir::memory
