// SPDX-License-Identifier: Apache-2.0

#include "transport/shared/mail.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "transport/shared/commons.hpp"
#include "transport/shared/open_shared.hpp"
#include "transport/shared/peers.hpp"
#include "transport/shared/waiting.hpp"

namespace weir::transport::shared {
namespace {

constexpr std::uint16_t kWord = 0;

// A rank of a mapping, without a process of its own.
struct LoneRank {
  LoneRank(const Commons& all, std::uint32_t rank)
      : commons(all.as(Rank{rank})), peers(commons, {.job = "", .rank = Rank{rank}, .ranks = all.ranks()}) {
    mail.set_handler(
        kWord, [](void* count, Rank, auto) { ++*static_cast<int*>(count); }, &arrived);
    waiting.set_work(mail);
  }
  bool send_to(std::uint32_t rank) { return static_cast<bool>(mail.send(Rank{rank}, kWord, {})); }

  int arrived = 0;
  Commons commons;
  Peers peers;
  Waiting waiting{commons, peers, 0};
  Mail mail{commons, peers, waiting};
};

struct TwoRanks {
  Commons commons = std::move(Commons::make(2).value());
  LoneRank sender{commons, 0}, receiver{commons, 1};
  RankLine& line = commons.line(Rank{1});
};

TEST(MailOfFew, ASleeperIsRungOnceThoughOthersOfItsRankTakeTheMessagesBeforeItRuns) {
  TwoRanks two;
  two.line.sleepers.store(1);  // a thread that has been woken, and waits for a processor, counts still
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(two.sender.send_to(1));
    EXPECT_TRUE(two.receiver.mail.progress());
    EXPECT_EQ(two.receiver.arrived, i);
    EXPECT_EQ(two.line.rings.load(), 1u);
  }
}

TEST(MailOfFew, WhoLiesDownIsRungThoughAnotherWasBefore) {
  TwoRanks two;
  two.line.sleepers.store(1);
  ASSERT_TRUE(two.sender.send_to(1));
  EXPECT_TRUE(two.receiver.mail.progress());
  two.receiver.waiting.sleep(1);
  ASSERT_TRUE(two.sender.send_to(1));
  EXPECT_EQ(two.line.rings.load(), 2u);
}

TEST(MailOfFew, WhatHasArrivedKeepsARankFromSleepingThoughItWasRungBefore) {
  TwoRanks two;
  two.line.sleepers.store(1);
  ASSERT_TRUE(two.sender.send_to(1));
  two.receiver.waiting.sleep(3'600'000'000'000);  // an hour: returns at once
  EXPECT_TRUE(two.receiver.mail.progress());
  EXPECT_FALSE(two.receiver.mail.is_waiting());
}

TEST(Waiting, ASleepOfNoTimeIsNoSleep) {
  TwoRanks two;
  std::atomic<std::uint64_t>& rung_by = two.commons.senders_to(Rank{1}).front();
  rung_by.store(1);
  two.receiver.waiting.sleep(0);
  EXPECT_EQ(rung_by.load(), 1u);
}

}  // namespace
}  // namespace weir::transport::shared
