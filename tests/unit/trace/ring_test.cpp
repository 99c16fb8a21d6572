// SPDX-License-Identifier: Apache-2.0

#include "trace/ring.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace weir::trace {
namespace {

Event numbered(std::uint64_t number) { return {number, 0, 0, Event::pack(Kind::task, number)}; }

TEST(Ring, GivesEventsInTheirOrderAlsoWhereItWrapsAround) {
  Ring ring(8);
  std::uint64_t pushed = 0, read = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 5; ++i) ring.push(numbered(pushed++));
    while (!ring.readable().empty()) {
      const std::span<const Event> events = ring.readable();
      for (const Event& event : events) EXPECT_EQ(event.start, read++);
      ring.consume(events.size());
    }
  }
  EXPECT_EQ(read, pushed);
  EXPECT_EQ(ring.dropped(), 0u);
}

TEST(Ring, DropsAndCountsWhatItHasNoRoomForAndKeepsWhatItHad) {
  Ring ring(8);
  for (std::uint64_t i = 0; i < 11; ++i) ring.push(numbered(i));
  EXPECT_EQ(ring.dropped(), 3u);
  ASSERT_EQ(ring.readable().size(), 8u);
  EXPECT_EQ(ring.readable().back().start, 7u);
  ring.consume(8);
  ring.push(numbered(11));
  EXPECT_EQ(ring.readable().front().start, 11u);
  EXPECT_EQ(ring.pushed(), 9u);
}

TEST(Event, PacksKindSmallAndValueAndCutsWhatIsTooLarge) {
  const Event event{1, 2, 3, Event::pack(Kind::move, 0x123456789abc, 0xfe)};
  EXPECT_EQ(event.kind(), Kind::move);
  EXPECT_EQ(event.small(), 0xfe);
  EXPECT_EQ(event.value(), 0x123456789abcu);
  EXPECT_EQ(event.end(), 3u);
  EXPECT_EQ((Event{0, 0, 0, Event::pack(Kind::spawn, ~std::uint64_t{0})}.value()), Event::kMostValue);
}

}  // namespace
}  // namespace weir::trace
