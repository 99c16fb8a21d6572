// SPDX-License-Identifier: Apache-2.0

// What a rank keeps of data blocks of others, and the memory that it is in.
#include "ocr/blocks/contents.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "ocr/blocks/loan.hpp"
#include "ocr/objects/block.hpp"
#include "transport/loopback/world.hpp"

namespace weir::ocr {
namespace {

using transport::Transport;

constexpr std::size_t kBytes = 10'000, kMost = 3 * kBytes;

Guid block_of(std::uint32_t index) { return Guid::make(Kind::block, 1, index); }

// On each of two ranks that reach one another's memory.
void with_reach(const std::function<void(Transport&, Reach&)>& body) {
  const auto outcome =
      transport::loopback::run({.ranks = 2, .seed = 5, .ranks_per_host = 2}, [&](Transport& transport) {
        const auto reach = Reach::make(transport, "");
        ASSERT_TRUE(reach) << reach.status().message;
        body(transport, **reach);
        ASSERT_TRUE(transport.barrier());
        (*reach)->end_reading();
        ASSERT_TRUE(transport.leave());
      });
  for (const std::string& failure : outcome.failures) ADD_FAILURE() << failure;
}

TEST(OcrReach, ARoomIsReadByItsNeighbour) {
  with_reach([](Transport& transport, Reach& reach) {
    const Reach::Room room = reach.make_room(kBytes);
    const auto offset = reach.offset_of(room.data());
    ASSERT_TRUE(offset);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(room.data()) % 64, 0u);
    room.data()[kBytes - 1] = static_cast<std::byte>(transport.rank());
    std::array<std::uint64_t, 2> offsets;
    ASSERT_TRUE(
        transport.all_gather(std::as_bytes(std::span(&*offset, 1)), std::as_writable_bytes(std::span(offsets))));
    const std::uint32_t other = 1 - static_cast<std::uint32_t>(transport.rank());
    const std::byte* const there = reach.mapped(Rank{other}, offsets[other]);
    ASSERT_NE(there, nullptr);
    EXPECT_EQ(there[kBytes - 1], std::byte(other));
    ASSERT_TRUE(transport.barrier());
    const std::byte outside{};
    EXPECT_FALSE(reach.offset_of(&outside));
  });
}

TEST(OcrReach, ARoomThatIsGivenUpIsUsedAgainAndOneThatIsTooLargeIsOfTheHeap) {
  with_reach([](Transport&, Reach& reach) {
    std::byte* first = nullptr;
    {
      const Reach::Room room = reach.make_room(kBytes);
      first = room.data();
    }
    const Reach::Room again = reach.make_room(kBytes);
    EXPECT_EQ(again.data(), first);
    const auto large = static_cast<std::size_t>(16 * reach.most_kept());  // with its neighbour: all memory of the host
    const Reach::Room heap = reach.make_room(large);
    EXPECT_FALSE(reach.offset_of(heap.data()));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(heap.data()) % 64, 0u);
  });
}

// One rank runs it, in the other's company.
void with_contents(const std::function<void(KeptContents&)>& body) {
  with_reach([&](Transport& transport, Reach& reach) {
    if (transport.rank() != Rank{0}) return;
    Reach::set_running(&reach);
    KeptContents kept;
    body(kept);
    kept.clear();
    Reach::set_running(nullptr);
  });
}

TEST(OcrKeptContents, WhatWasUsedLeastLatelyGoesWhenThereIsTooMuch) {
  with_contents([](KeptContents& kept) {
    for (std::uint32_t i = 1; i <= 3; ++i) kept.keep(block_of(i), i, std::make_shared<Contents>(kBytes), kMost);
    ASSERT_NE(kept.find(block_of(1)), nullptr);
    kept.keep(block_of(4), 4, std::make_shared<Contents>(kBytes), kMost);
    EXPECT_EQ(kept.bytes(), kMost);
    EXPECT_EQ(kept.find(block_of(2)), nullptr);
    for (const std::uint32_t i : {1u, 3u, 4u}) {
      ASSERT_NE(kept.find(block_of(i)), nullptr);
      EXPECT_EQ(kept.find(block_of(i))->version, i);
    }
  });
}

TEST(OcrKeptContents, ALaterVersionTakesTheOthersPlace) {
  with_contents([](KeptContents& kept) {
    const auto first = std::make_shared<Contents>(kBytes), second = std::make_shared<Contents>(kBytes);
    kept.keep(block_of(1), 7, first, kMost);
    kept.keep(block_of(1), 9, second, kMost);
    EXPECT_EQ(kept.bytes(), kBytes);
    EXPECT_EQ(kept.find(block_of(1))->version, 9u);
    EXPECT_EQ(kept.find(block_of(1))->contents, second);
    EXPECT_EQ(first.use_count(), 1);
    kept.drop(block_of(1));
    EXPECT_EQ(kept.bytes(), 0u);
    EXPECT_EQ(kept.find(block_of(1)), nullptr);
  });
}

TEST(OcrKeptContents, WhatIsLargerThanAllTogetherIsNotKept) {
  with_contents([](KeptContents& kept) {
    kept.keep(block_of(1), 1, std::make_shared<Contents>(kBytes), kMost);
    kept.keep(block_of(2), 1, std::make_shared<Contents>(kMost + 1), kMost);
    EXPECT_EQ(kept.find(block_of(2)), nullptr);
    EXPECT_EQ(kept.bytes(), kBytes);
  });
}

TEST(OcrKeptContents, NoVersionIsNone) {
  EXPECT_EQ(version_after(0), 1u);
  EXPECT_EQ(version_after(~std::uint32_t{0}), 1u);
  EXPECT_TRUE(goes_inside(64));
  EXPECT_FALSE(goes_inside(Part::kMost));
}

}  // namespace
}  // namespace weir::ocr
