// SPDX-License-Identifier: Apache-2.0

#include "rank_clocks.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

using weir::tool::job::clock_moves;
using weir::tool::job::ShortestWay;
using weir::tool::report::Ns;

TEST(RankClocks, StayWhenEveryMessageComesAfterItWasSent) {
  const std::vector<ShortestWay> ways = {{0, 1, 5}, {1, 0, 0}};
  EXPECT_EQ(clock_moves(2, ways), (std::vector<Ns>{0, 0}));
  EXPECT_EQ(clock_moves(3, {}), (std::vector<Ns>{0, 0, 0}));
}

TEST(RankClocks, MoveTheSenderBackByWhatAMessageCameTooEarly) {
  const std::vector<ShortestWay> ways = {{0, 1, 50}, {1, 0, -20}};
  EXPECT_EQ(clock_moves(2, ways), (std::vector<Ns>{0, -20}));
}

TEST(RankClocks, MoveWhatSendsToOneThatMovesToo) {
  const std::vector<ShortestWay> ways = {{2, 1, -3}, {1, 0, -20}, {0, 2, 40}};
  EXPECT_EQ(clock_moves(3, ways), (std::vector<Ns>{0, -20, -23}));
}

TEST(RankClocks, StayWhenNoClocksWouldDo) {
  const std::vector<ShortestWay> ways = {{0, 1, 10}, {1, 0, -20}};
  EXPECT_EQ(clock_moves(2, ways), (std::vector<Ns>{0, 0}));
}

// Clocks that are wrong by anything, and messages that take some time at least.
TEST(RankClocks, LetAnyMessagesOfRealTimesComeAfterTheyWereSent) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t hosts = 2 + random() % 6;
    std::vector<Ns> errors;
    for (std::size_t i = 0; i < hosts; ++i) errors.push_back(static_cast<Ns>(random() % 200) - 100);
    std::vector<ShortestWay> ways;
    for (std::size_t from = 0; from < hosts; ++from) {
      for (std::size_t to = 0; to < hosts; ++to) {
        if (from == to || random() % 3 == 0) continue;
        ways.push_back({from, to, static_cast<Ns>(random() % 50) + errors[to] - errors[from]});
      }
    }
    const std::vector<Ns> moves = clock_moves(hosts, ways);
    for (const ShortestWay& way : ways) EXPECT_GE(way.ns + moves[way.to] - moves[way.from], 0) << round;
  }
}

}  // namespace
