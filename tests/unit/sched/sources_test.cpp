// SPDX-License-Identifier: Apache-2.0

// The list of places where a ready task can be, and its parts.
#include "sched/policy/sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sched/policy/order.hpp"

namespace weir::sched::policy {
namespace {

using enum Source;

template <auto kPart, bool kReversed = false>
std::vector<Source> part() {
  std::vector<Source> seen;
  static_cast<void>(first_of<kPart, kReversed>([&](auto source) { return seen.push_back(source()), false; }));
  return seen;
}
constexpr bool all(Source) { return true; }

TEST(Sources, EachStandsInTheListOnceInTheOrderOfItsName) {
  const std::vector<Source> list = part<all>();
  EXPECT_EQ(list, std::vector<Source>(kSources.begin(), kSources.end()));
  EXPECT_EQ(list.size(), static_cast<std::size_t>(far) + 1);
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(list[i]), i);
}

TEST(Sources, AWorkerLooksAtItsOwnBeforeItSearches) {
  EXPECT_EQ(part<is_at_hand>(), (std::vector{urgent, next, mailbox, turn, batch, deque, overflow, inbox}));
}

TEST(Sources, TheOnesAtHandCanBeReadFromAnyOfThemOn) {
  EXPECT_EQ(part<is_at_hand_from<turn>>(), (std::vector{turn, batch, deque, overflow, inbox}));
  EXPECT_EQ(next_of<is_at_hand>(urgent), next);
  EXPECT_EQ(next_of<is_of_domain>(urgent), inbox);
}

TEST(Sources, ASearchLooksWhereOthersMayHaveAddedSomething) {
  EXPECT_EQ(part<is_searched>(), (std::vector{urgent, mailbox, inbox, peers, background, far}));
  EXPECT_EQ(part<is_of_domain>(), (std::vector{urgent, inbox, peers, background}));
}

TEST(Sources, OthersTakeFirstWhatTheOwnerComesToLast) {
  EXPECT_EQ((part<is_open_to_others, true>()), (std::vector{overflow, deque, batch, mailbox}));
}

// Else a task there would be taken by its worker alone, and stranded when that one is away.
TEST(Sources, EveryPlaceIsInViewOfAnotherWorkerButTheNextTask) {
  for (const Source source : kSources) {
    const bool seen = is_of_domain(source) || is_open_to_others(source) || source == far || source == turn;
    EXPECT_EQ(seen, source != next) << static_cast<int>(source);
  }
}

// A searcher that slept without a look at one of these would miss what was added there.
TEST(Sources, WhatIsNotSearchedOnlyItsOwnerFills) {
  for (const Source source : kSources)
    EXPECT_EQ(is_searched(source), !is_filled_by_owner(source) && source != turn) << static_cast<int>(source);
}

TEST(Sources, AThreadThatLeavesTasksToOthersLooksAtNoDequeOfTheirs) {
  for (const Source source : kSources) {
    EXPECT_TRUE(may_look_at(source, false));
    EXPECT_EQ(may_look_at(source, true), source != peers && source != far) << static_cast<int>(source);
  }
}

TEST(Sources, TheInboxHasItsTurn) {
  std::vector<std::uint32_t> turns;
  for (std::uint32_t taken = 1; taken <= 3 * kInboxTurn; ++taken)
    if (is_turn_of_inbox(taken)) turns.push_back(taken);
  EXPECT_EQ(turns, (std::vector{kInboxTurn, 2 * kInboxTurn, 3 * kInboxTurn}));
}

TEST(TakingOrder, IsTheNewestFirstUnlessOthersWaitForResultsAndNoTaskWaitsBeneath) {
  EXPECT_EQ(which_to_take({false, false}), Oldness::newest);
  EXPECT_EQ(which_to_take({false, true}), Oldness::newest);
  EXPECT_EQ(which_to_take({true, false}), Oldness::oldest);
  EXPECT_EQ(which_to_take({true, true}), Oldness::newest);
}

TEST(TakingOrder, IsThatOfSpawningForWhoSpawnsOutsideOfTasksUnlessTasksAreTiny) {
  EXPECT_EQ(which_to_take({false, false, true}), Oldness::oldest);
  EXPECT_EQ(which_to_take({false, true, true}), Oldness::newest);
  EXPECT_TRUE(keeps_order({0, kTinyTaskNs}, false));
  EXPECT_TRUE(keeps_order({0, kUnknownGrain}, false));
  EXPECT_FALSE(keeps_order({0, kTinyTaskNs - 1}, false));
  EXPECT_FALSE(keeps_order({0, kTinyTaskNs}, true));
}

TEST(Sources, ReadingEndsWithTheFirstThatGivesSomething) {
  int looked = 0;
  const int found = first_of<is_of_domain>([&](auto source) { return ++looked, source() == inbox ? 5 : 0; });
  EXPECT_EQ(found, 5);
  EXPECT_EQ(looked, 2);
}

}  // namespace
}  // namespace weir::sched::policy
