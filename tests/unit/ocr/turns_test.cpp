// SPDX-License-Identifier: Apache-2.0

#include "ocr/pause/turns.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

namespace weir::ocr {
namespace {

constexpr PauseTurn kFirst{Rank{2}, 1}, kSecond{Rank{0}, 1}, kThird{Rank{2}, 2};

TEST(PauseTurns, AreInTheOrderInWhichTheyAreAskedFor) {
  PauseTurns turns;
  EXPECT_EQ(turns.take(kFirst, true), TakenTurn::now);
  EXPECT_EQ(turns.take(kSecond, true), TakenTurn::later);
  EXPECT_EQ(turns.take(kThird, true), TakenTurn::later);
  EXPECT_EQ(turns.end(), kSecond);
  EXPECT_EQ(turns.end(), kThird);
  EXPECT_EQ(turns.end(), std::nullopt);
  EXPECT_EQ(turns.take(kFirst, false), TakenTurn::now);
}

TEST(PauseTurns, WhoDoesNotWaitHasNoneLater) {
  PauseTurns turns;
  EXPECT_EQ(turns.take(kFirst, true), TakenTurn::now);
  EXPECT_EQ(turns.take(kSecond, false), TakenTurn::no);
  EXPECT_EQ(turns.end(), std::nullopt);
  EXPECT_EQ(turns.take(kThird, false), TakenTurn::now);
}

TEST(PauseTurns, OneHasItsTurnAtATime) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint64_t kTurns = 2000;
  PauseTurns turns;
  std::uint64_t had = 0;  // by whoever has its turn
  std::vector<std::thread> threads;
  for (std::uint32_t rank = 0; rank < kThreads; ++rank) {
    threads.emplace_back([&, rank] {
      for (std::uint64_t number = 1; number <= kTurns; ++number) {
        while (turns.take({Rank{rank}, number}, false) != TakenTurn::now) std::this_thread::yield();
        ++had;
        EXPECT_EQ(turns.end(), std::nullopt);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(had, kThreads * kTurns);
}

}  // namespace
}  // namespace weir::ocr
