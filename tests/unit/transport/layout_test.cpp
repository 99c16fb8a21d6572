// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/layout.hpp"

#include <gtest/gtest.h>

namespace weir::transport::shared {
namespace {

TEST(Layout, PutsThePartsOneBehindTheOther) {
  for (const std::uint32_t ranks : {1u, 2u, 3u, 63u, 64u, 65u, 256u, 1024u}) {
    const Layout layout(ranks);
    EXPECT_GE(layout.lines(), sizeof(Head)) << ranks;
    EXPECT_GE(layout.slots(), layout.lines() + ranks * sizeof(RankLine)) << ranks;
    EXPECT_GE(layout.senders(), layout.slots() + ranks * sizeof(GatherSlot)) << ranks;
    EXPECT_GE(layout.ends(), layout.senders() + ranks * layout.sender_bytes()) << ranks;
    EXPECT_GE(layout.rings(), layout.ends() + std::size_t{ranks} * ranks * sizeof(RingEnd)) << ranks;
    EXPECT_GE(layout.size().count, layout.rings() + std::size_t{ranks} * ranks * layout.ring_bytes()) << ranks;
    EXPECT_GE(layout.sender_words() * 64, ranks);
    EXPECT_EQ(layout.sender_bytes() % base::kDestructiveSize, 0u);
  }
}

TEST(Layout, MakesRingsSmallerForMoreRanks) {
  EXPECT_EQ(Layout(2).ring_bytes(), 64u << 10);
  EXPECT_EQ(Layout(16).ring_bytes(), 64u << 10);
  EXPECT_EQ(Layout(32).ring_bytes(), 32u << 10);
  EXPECT_EQ(Layout(64).ring_bytes(), 16u << 10);
  EXPECT_EQ(Layout(1024).ring_bytes(), 16u << 10);
}

}  // namespace
}  // namespace weir::transport::shared
