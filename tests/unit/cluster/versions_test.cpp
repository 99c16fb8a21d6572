// SPDX-License-Identifier: Apache-2.0

// Ranks that decide by themselves what to send and what to wait for agree, whatever the tasks.
#include "cluster/versions.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace weir::cluster {
namespace {

constexpr std::uint32_t kRanks = 7;

TEST(Versions, ATaskOnTheWritersRankNeedsNothing) {
  Versions owner(Rank{0}, Rank{0});
  EXPECT_EQ(owner.note_read(Rank{0}, Rank{0}), Move::none);
  owner.note_write(Rank{0}, Rank{0});
  EXPECT_EQ(owner.note_read(Rank{0}, Rank{0}), Move::none);
}

TEST(Versions, AVersionIsSentToARankOnce) {
  Versions owner(Rank{0}, Rank{0});
  EXPECT_EQ(owner.note_read(Rank{0}, Rank{1}), Move::send);
  EXPECT_EQ(owner.note_read(Rank{0}, Rank{1}), Move::none);
  EXPECT_EQ(owner.note_read(Rank{0}, Rank{2}), Move::send);
  owner.note_write(Rank{0}, Rank{0});
  EXPECT_EQ(owner.note_read(Rank{0}, Rank{1}), Move::send);
}

TEST(Versions, TheOwnerReceivesWhatAnotherRankHasWritten) {
  Versions owner(Rank{0}, Rank{0});
  owner.note_write(Rank{0}, Rank{1});
  EXPECT_EQ(owner.writer(), Rank{1});
  EXPECT_EQ(owner.note_read(Rank{0}, Rank{0}), Move::receive);
  EXPECT_EQ(owner.note_read(Rank{0}, Rank{0}), Move::none);
}

TEST(Versions, AThirdRankDoesNothing) {
  Versions third(Rank{2}, Rank{0});
  EXPECT_EQ(third.note_read(Rank{2}, Rank{1}), Move::none);
  third.note_write(Rank{2}, Rank{1});
  EXPECT_EQ(third.note_read(Rank{2}, Rank{0}), Move::none);
}

TEST(Versions, ACopyThatWasDroppedIsSentAgain) {
  Versions owner(Rank{0}, Rank{0}), reader(Rank{1}, Rank{0});
  EXPECT_EQ(owner.note_read(Rank{0}, Rank{1}), Move::send);
  EXPECT_EQ(reader.note_read(Rank{1}, Rank{1}), Move::receive);
  for (Versions* const view : {&owner, &reader}) view->note_dropped(view == &owner ? Rank{0} : Rank{1}, Rank{1});
  EXPECT_FALSE(reader.has_copy(Rank{1}));
  EXPECT_EQ(owner.note_read(Rank{0}, Rank{1}), Move::send);
  EXPECT_EQ(reader.note_read(Rank{1}, Rank{1}), Move::receive);
  EXPECT_EQ(owner.drops(Rank{0}, Rank{1}), 1u) << "the second sending has another name";
  EXPECT_EQ(reader.drops(Rank{1}, Rank{1}), 1u);
  EXPECT_EQ(owner.drops(Rank{0}, Rank{2}), 0u);
  owner.note_write(Rank{0}, Rank{0});
  reader.note_write(Rank{1}, Rank{0});
  EXPECT_EQ(owner.drops(Rank{0}, Rank{1}), 0u) << "a new version has been dropped by nobody";
  EXPECT_EQ(reader.drops(Rank{1}, Rank{1}), 0u);
}

TEST(Versions, WhatAWriterHasIsNotDropped) {
  Versions owner(Rank{0}, Rank{0});
  owner.note_dropped(Rank{0}, Rank{0});
  EXPECT_EQ(owner.note_read(Rank{0}, Rank{0}), Move::none);
}

// Only the two that a copy concerns note that it was dropped.
TEST(Versions, EachReceiveHasOneSendOfTheSameVersion) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    const auto any_rank = [&] { return Rank{static_cast<std::uint32_t>(random()) % kRanks}; };
    const Rank owner = any_rank();
    std::vector<Versions> views;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) views.emplace_back(Rank{rank}, owner);
    // By receiver, version, and how often that was dropped there.
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, int> sends, receives;
    std::vector<std::uint32_t> has(kRanks, ~0u);  // what each rank's copy is
    has[static_cast<std::size_t>(owner)] = 0;
    for (int task = 0; task < 100; ++task) {
      const Rank where = any_rank();
      const bool reads = random() % 4 != 0, writes = !reads || random() % 2 == 0;
      for (std::uint32_t self = 0; reads && self < kRanks; ++self) {
        const Move move = views[self].note_read(Rank{self}, where);
        const auto key =
            std::tuple(static_cast<std::uint32_t>(where), views[self].newest(), views[self].drops(Rank{self}, where));
        if (move == Move::send) {
          ++sends[key];
          EXPECT_EQ(has[self], views[self].newest()) << "sent by who does not have it";
        }
        if (move == Move::receive) {
          ++receives[key];
          has[self] = views[self].newest();
        }
      }
      if (reads) {
        EXPECT_EQ(has[static_cast<std::size_t>(where)], views[0].newest()) << "seed " << seed;
      }
      for (std::uint32_t self = 0; writes && self < kRanks; ++self) views[self].note_write(Rank{self}, where);
      if (writes) has[static_cast<std::size_t>(where)] = views[0].newest();
      const Rank writer = views[0].writer(), dropping = any_rank();
      if (random() % 3 != 0 || dropping == writer) continue;
      for (const Rank self : {writer, dropping}) views[static_cast<std::size_t>(self)].note_dropped(self, dropping);
      has[static_cast<std::size_t>(dropping)] = ~0u;
    }
    EXPECT_EQ(sends, receives) << "seed " << seed;
    for (const auto& [key, count] : sends) EXPECT_EQ(count, 1) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weir::cluster
