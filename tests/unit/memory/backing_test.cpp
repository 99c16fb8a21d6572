// SPDX-License-Identifier: Apache-2.0

#include "memory/backing.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <vector>

#include "fake_device.hpp"
#include "memory/arena.hpp"
#include "sizes.hpp"

namespace weir::memory {
namespace {

std::size_t resident_bytes() {
  std::size_t mapped = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> mapped >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::unique_ptr<Arena> arena_on(std::unique_ptr<Backing> backing, std::size_t budget) {
  ArenaConfig config;
  config.name = "simulated";
  config.budget = {budget};
  const auto no_memory = [] { return platform::MemoryLimit{0, "nothing"}; };
  const auto node = [](int) { return Bytes{}; };
  config.memory = MemoryState{.mappable = no_memory, .physical = no_memory, .free_now = node, .free_or_cached = node};
  auto arena = Arena::make(std::move(config), std::move(backing));
  EXPECT_TRUE(arena) << arena.status().message;
  return std::move(*arena);
}

TEST(NoBacking, ATierOfSixteenGibibytesTakesNoMemory) {
  const std::size_t before = resident_bytes();
  const auto arena = arena_on(no_backing({16 * kGiB}), 16 * kGiB);
  ASSERT_TRUE(arena->populate({16 * kGiB})) << "limits of this system do not count";
  EXPECT_EQ(arena->address(0), nullptr);
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t at = arena->allocate(kMiB); at != Arena::kNowhere; at = arena->allocate(kMiB)) {
    blocks.push_back(at);
  }
  EXPECT_EQ(blocks.size(), 16 * kKiB);
  EXPECT_EQ(arena->used(), arena->budget());
  for (std::size_t i = 0; i < blocks.size(); i += 2) arena->free(blocks[i], kMiB);
  EXPECT_EQ(arena->allocate(2 * kMiB), Arena::kNowhere);
  for (int i = 0; i < 100'000; ++i) ASSERT_NE(arena->allocate(64), Arena::kNowhere);
  for (std::size_t i = 1; i < blocks.size(); i += 2) arena->free(blocks[i], kMiB);
  EXPECT_LT(resident_bytes(), before + 16 * kGiB / 64) << "its tables, where they are used";
}

TEST(Anonymous, GivesZeroedMemoryThatTheProcessorAddresses) {
  auto backing = anonymous_backing({4 * kMiB}, {}, platform::PageSize::large);
  ASSERT_TRUE(backing) << backing.status().message;
  ASSERT_TRUE((*backing)->populate(kMiB, kMiB));
  std::byte* const data = (*backing)->address(kMiB);
  EXPECT_EQ(data[kMiB - 1], std::byte{0});
  std::memset(data, 1, kMiB);
  (*backing)->release(kMiB, kMiB);
  ASSERT_TRUE((*backing)->populate(kMiB, kMiB));
  EXPECT_EQ(data[0], std::byte{0});
  EXPECT_EQ((*backing)->place(kMiB, kMiB), std::nullopt) << "no node was asked for";
}

TEST(DeviceBacking, AnArenaGivesOffsetsOfMemoryThatTheProcessorCannotAddress) {
  const auto arena = arena_on(std::make_unique<FakeDevice>(8 * kMiB), 8 * kMiB);
  const std::uint64_t large = arena->allocate(kMiB), small = arena->allocate(100);
  ASSERT_NE(large, Arena::kNowhere);
  ASSERT_NE(small, Arena::kNowhere);
  EXPECT_EQ(arena->address(large), nullptr);
  EXPECT_FALSE(arena->contains(&large));
  arena->free(small, 100);
  arena->free(large);
  EXPECT_EQ(arena->used(), 0u);
  EXPECT_NE(arena->allocate(8 * kMiB), Arena::kNowhere);
}

TEST(DeviceBacking, WhatItRefusesIsAFailureOfTheArena) {
  auto device = std::make_unique<FakeDevice>(64 * kMiB);
  device->refuse_beyond(6 * kMiB);
  const auto arena = arena_on(std::move(device), 64 * kMiB);
  EXPECT_NE(arena->allocate(4 * kMiB), Arena::kNowhere);
  EXPECT_EQ(arena->allocate(32 * kMiB), Arena::kNowhere);
  EXPECT_EQ(arena->failure().code, base::Code::no_space);
  EXPECT_NE(arena->failure().message.find("the device is full"), std::string::npos) << arena->failure().message;
}

}  // namespace
}  // namespace weir::memory
