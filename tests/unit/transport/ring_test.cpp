// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace weir::transport::shared {
namespace {

constexpr std::uint32_t kBytes = 16 << 10;

struct TwoEnds {
  std::unique_ptr<RingEnd> end = std::make_unique<RingEnd>();
  std::vector<std::uint64_t> data = std::vector<std::uint64_t>(kBytes / 8);
  Ring ring{*end, reinterpret_cast<std::byte*>(data.data()), kBytes};
  Ring::Sent sent;

  bool write(std::uint16_t handler, std::size_t bytes) {
    return ring.try_write(handler, std::vector<std::byte>(bytes, static_cast<std::byte>(handler)), sent);
  }
  // The handler of the oldest message, whose bytes must be its own; -1: there is none.
  int read(std::size_t bytes) {
    int found = -1;
    ring.read([&](std::uint16_t handler, std::span<const std::byte> message) {
      found = handler;
      EXPECT_EQ(message.size(), bytes);
      EXPECT_TRUE(std::all_of(message.begin(), message.end(), [&](std::byte b) { return b == std::byte(handler); }));
    });
    return found;
  }
};

TEST(Ring, IsEmptyAtFirst) {
  TwoEnds two;
  EXPECT_TRUE(two.ring.is_empty());
  EXPECT_EQ(two.read(0), -1);
}

TEST(Ring, TellsMessagesOfNoBytesFromNoMessage) {
  TwoEnds two;
  ASSERT_TRUE(two.write(7, 0));
  EXPECT_FALSE(two.ring.is_empty());
  EXPECT_EQ(two.read(0), 7);
  EXPECT_EQ(two.read(0), -1);
}

TEST(Ring, KeepsTheOrderAcrossItsEndForMessagesOfAnyLength) {
  for (std::size_t bytes = 0; bytes <= 4000; bytes += 37) {
    TwoEnds two;
    for (std::uint16_t handler = 0; handler < 120; handler = static_cast<std::uint16_t>(handler + 2)) {
      const auto after = static_cast<std::uint16_t>(handler + 1);
      ASSERT_TRUE(two.write(handler, bytes)) << bytes;
      ASSERT_TRUE(two.write(after, bytes)) << bytes;
      ASSERT_EQ(two.read(bytes), handler);
      ASSERT_EQ(two.read(bytes), after);
    }
    EXPECT_TRUE(two.ring.is_empty());
  }
}

// Old bytes lie wherever the next head is looked for.
TEST(Ring, TakesNoOldBytesForAMessage) {
  TwoEnds two;
  for (std::uint16_t i = 1; i < 3000; ++i) {
    const std::size_t bytes = std::size_t{i} * 89 % 700;
    const auto handler = static_cast<std::uint16_t>(i % 255 + 1);  // what all bytes of it are, too
    ASSERT_TRUE(two.write(handler, bytes));
    ASSERT_FALSE(two.ring.is_empty());
    ASSERT_EQ(two.read(bytes), handler);
    ASSERT_TRUE(two.ring.is_empty()) << i;
    ASSERT_EQ(two.read(0), -1) << i;
  }
}

TEST(Ring, RefusesWhatFindsNoRoomAndTakesItWhenThereIs) {
  TwoEnds two;
  int held = 0;
  while (two.write(3, 4000)) ++held;
  EXPECT_EQ(held, 4);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(two.read(4000), 3);
  EXPECT_TRUE(two.write(4, 4000));
  EXPECT_FALSE(two.write(5, 4000));
  for (int i = 2; i < held; ++i) EXPECT_EQ(two.read(4000), 3);
  EXPECT_EQ(two.read(4000), 4);
}

TEST(Ring, TellsTheReceiverOnceThatTheSenderWaitsForRoom) {
  TwoEnds two;
  EXPECT_FALSE(two.ring.is_room_wanted());
  two.ring.ask_for_room();
  EXPECT_TRUE(two.ring.is_room_asked_for());
  EXPECT_TRUE(two.ring.is_room_wanted());
  EXPECT_FALSE(two.ring.is_room_wanted());
  EXPECT_FALSE(two.ring.is_room_asked_for());
}

}  // namespace
}  // namespace weir::transport::shared
