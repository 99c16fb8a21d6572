// SPDX-License-Identifier: Apache-2.0

// Where a ready task goes, whom that wakes, and whom a thief asks, as tables: pure functions from a snapshot to a
// decision.
#include "sched/policy/placement.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "sched/policy/victims.hpp"

namespace weir::sched::policy {
namespace {

// ---- Home ----

std::uint32_t home_after(std::initializer_list<std::uint32_t> workers, std::uint32_t last) {
  HomeVote votes;
  for (const std::uint32_t worker : workers) votes = vote(votes, worker);
  return home_of(votes, last);
}

TEST(HomeVotePolicy, TheHomeIsTheWorkerThatRanMostOfTheOtherPredecessors) {
  EXPECT_EQ(home_after({}, 3), 3u) << "the only predecessor";
  EXPECT_EQ(home_after({5}, 3), 3u) << "one against one: it stays where it is";
  EXPECT_EQ(home_after({5, 5}, 3), 5u);
  EXPECT_EQ(home_after({5, 6}, 3), 3u) << "no majority";
  EXPECT_EQ(home_after({5, 6, 5, 5}, 3), 5u);
  EXPECT_EQ(home_after({5, 5, 6, 6, 6, 6}, 3), 6u);
  EXPECT_EQ(home_after({3, 3}, 3), 3u);
}

TEST(HomeVotePolicy, TheLeadIsBoundedAndWorkersWithLargeNumbersDoNotVote) {
  HomeVote votes;
  for (int i = 0; i < 100; ++i) votes = vote(votes, 4);
  EXPECT_EQ(votes.lead, kMostLead);
  const HomeVote same = vote(votes, kVoters);
  EXPECT_EQ(same.candidate, 4u);
  EXPECT_EQ(same.lead, kMostLead);
  EXPECT_EQ(home_of(vote(HomeVote{}, kVoters), 7), 7u);
}

// ---- Where it goes ----

TEST(PlacementPolicy, AReleasedTaskIsRunNextUnlessItsHomeCanTakeIt) {
  struct {
    Home home;
    Source goes;
  } const table[] = {
      {{true, true, true, false, true}, Source::next},   {{false, true, true, false, true}, Source::mailbox},
      {{false, false, true, false, true}, Source::next},  // another domain
      {{false, true, false, false, true}, Source::next},  // without a permit
      {{false, true, true, true, true}, Source::next},    // asleep, and one worker too many
      {{false, true, true, false, false}, Source::next},  // it asks for a place itself
  };
  for (const auto& row : table) EXPECT_EQ(place_released(row.home), row.goes) << &row - table;
}

TEST(PlacementPolicy, WishesDecideWhichInbox) {
  constexpr Maker kWorkerOf2{2, true}, kOutside{2, false};
  struct {
    Wishes wishes;
    Maker maker;
    Source source;
    int domain;
  } const table[] = {
      {{Priority::normal, -1}, kWorkerOf2, Source::deque, 2},
      {{Priority::normal, 2}, kWorkerOf2, Source::deque, 2},
      {{Priority::normal, 0}, kWorkerOf2, Source::inbox, 0},
      {{Priority::normal, -1}, kOutside, Source::inbox, 2},
      {{Priority::normal, 1}, kOutside, Source::inbox, 1},
      {{Priority::urgent, -1}, kWorkerOf2, Source::urgent, 2},
      {{Priority::urgent, 1}, kWorkerOf2, Source::urgent, 1},
      {{Priority::background, -1}, kOutside, Source::background, 2},
      {{Priority::background, 0}, kWorkerOf2, Source::background, 0},
  };
  for (const auto& row : table) {
    const Destination to = place(row.wishes, row.maker);
    EXPECT_EQ(to.source, row.source) << &row - table;
    EXPECT_EQ(to.domain, row.domain) << &row - table;
  }
}

// ---- Whom it wakes ----

TEST(WakePolicy, AnInboxOfAnotherDomainWakesAWorkerThere) {
  EXPECT_EQ(whom_to_wake({Source::deque, 0}, 0), Wake::one_if_worth);
  EXPECT_EQ(whom_to_wake({Source::next, 0}, 0), Wake::one_if_worth);
  EXPECT_EQ(whom_to_wake({Source::mailbox, 0}, 0), Wake::home);
  EXPECT_EQ(whom_to_wake({Source::urgent, 0}, 0), Wake::one);
  EXPECT_EQ(whom_to_wake({Source::background, 0}, 0), Wake::one);
  EXPECT_EQ(whom_to_wake({Source::inbox, 1}, 0), Wake::one_of_domain);
  EXPECT_EQ(whom_to_wake({Source::urgent, 1}, 0), Wake::one_of_domain);
}

TEST(WakePolicy, AWakeUpMustBeWorthWhatItCosts) {
  EXPECT_TRUE(is_worth_waking({1, kUnknownGrain}, true));
  EXPECT_TRUE(is_worth_waking({1, kTinyTaskNs}, true)) << "not tiny";
  EXPECT_FALSE(is_worth_waking({1, 50}, true));
  EXPECT_FALSE(is_worth_waking({999, 50}, true));
  EXPECT_TRUE(is_worth_waking({1000, 50}, true)) << "many tiny ones are worth it";
  EXPECT_TRUE(is_worth_waking({1, 50}, false)) << "no worker would look for it by itself";
}

// ---- Whom a thief asks ----

TEST(VictimPolicy, WhichThievesMayStealFar) {
  struct {
    Policy policy;
    std::uint64_t searched_ns;
    bool may;
  } const table[] = {
      {Policy::flat, 0, true},      {Policy::numa, 0, false},     {Policy::numa, 1000000000, false},
      {Policy::near, 0, false},     {Policy::near, 19999, false}, {Policy::near, 20000, true},
      {Policy::near, 500000, true},
  };
  for (const auto& row : table) EXPECT_EQ(may_steal_far({row.policy, row.searched_ns, 20000}), row.may);
}

TEST(VictimPolicy, OnlyNumaKeepsTasksInTheirDomain) {
  EXPECT_TRUE(reaches_far(Policy::near));
  EXPECT_TRUE(reaches_far(Policy::flat));
  EXPECT_FALSE(reaches_far(Policy::numa));
}

TEST(VictimPolicy, ARoundAsksEveryWorkerOnceFromAnyOn) {
  for (const std::uint32_t random : {0u, 0x40000000u, 0x80000000u, 0xffffffffu}) {
    std::vector<std::uint32_t> asked;
    EXPECT_EQ(ask_round(random, 4, [&](std::uint32_t at) { return asked.push_back(at), 0; }), 0);
    ASSERT_EQ(asked.size(), 4u);
    EXPECT_EQ(asked[0], random >> 30) << "the upper bits choose the first";
    for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(asked[i], (asked[0] + i) % 4);
  }
  EXPECT_EQ(ask_round(123, 0, [](std::uint32_t) { return 1; }), 0) << "there is no worker to ask";
}

TEST(VictimPolicy, ARoundEndsWithTheFirstThatGivesSomething) {
  int asked = 0;
  EXPECT_EQ(ask_round(0, 8, [&](std::uint32_t at) { return ++asked, at == 2 ? 77 : 0; }), 77);
  EXPECT_EQ(asked, 3);
}

TEST(VictimPolicy, TheNearestDomainsAreAskedFirst) {
  const std::vector<double> from_1{20, 10, 40, 20, 30};
  EXPECT_EQ(far_order(1, from_1), (std::vector{0, 3, 4, 2})) << "of those at one distance the lower number first";
  const std::vector<double> alone{10};
  EXPECT_TRUE(far_order(0, alone).empty());
}

}  // namespace
}  // namespace weir::sched::policy
