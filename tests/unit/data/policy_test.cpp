// SPDX-License-Identifier: Apache-2.0

// The rules of who leaves, who is brought in early and who passes, as tables; and the steps that a replica has.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "data/engine/replica.hpp"
#include "data/policy/admit.hpp"
#include "data/policy/evict.hpp"
#include "data/policy/prefetch.hpp"
#include "memory/machines.hpp"

namespace weir::data {

using engine::may_follow;
using engine::Replica;
using engine::ReplicaState;
using memory::kMiB;
using memory::kTiB;

namespace {

using policy::Candidate;
using policy::kNever;

constexpr Candidate kSoon{.next_use = 5, .last_use = 1, .bytes = 100, .dirty = false};
constexpr Candidate kLate{.next_use = 9, .last_use = 2, .bytes = 100, .dirty = true};
constexpr Candidate kUnused{.next_use = kNever, .last_use = 3, .bytes = 10, .dirty = true};

TEST(EvictNextUse, TakesWhatIsNeededLastEvenIfItHasToBeWritten) {
  EXPECT_TRUE(policy::leaves_before(Evict::next_use, kLate, kSoon));
  EXPECT_TRUE(policy::leaves_before(Evict::next_use, kUnused, kLate));
  EXPECT_FALSE(policy::leaves_before(Evict::next_use, kSoon, kUnused));
}

TEST(EvictLru, TakesWhatWasUsedLongestAgoWhateverComesNext) {
  for (const Evict rule : {Evict::lru, Evict::refcount}) {
    EXPECT_TRUE(policy::leaves_before(rule, kSoon, kLate));
    EXPECT_TRUE(policy::leaves_before(rule, kLate, kUnused));
  }
}

TEST(Evict, AmongEqualsTakesCleanOnesAndThenLargeOnes) {
  for (const Evict rule : {Evict::refcount, Evict::lru, Evict::next_use}) {
    Candidate dirty = kSoon, large = kSoon;
    dirty.dirty = true;
    large.bytes = 200;
    EXPECT_TRUE(policy::leaves_before(rule, kSoon, dirty));
    EXPECT_TRUE(policy::leaves_before(rule, large, kSoon));
    EXPECT_TRUE(policy::leaves_before(rule, kSoon, dirty) && !policy::leaves_before(rule, dirty, large));
  }
}

TEST(Evict, IsAStrictWeakOrder) {
  const Candidate all[] = {kSoon, kLate, kUnused, {}, {.next_use = 5, .last_use = 1, .bytes = 100, .dirty = true}};
  for (const Evict rule : {Evict::refcount, Evict::lru, Evict::next_use}) {
    for (const Candidate& a : all) {
      EXPECT_FALSE(policy::leaves_before(rule, a, a));
      for (const Candidate& b : all) {
        EXPECT_FALSE(policy::leaves_before(rule, a, b) && policy::leaves_before(rule, b, a));
        for (const Candidate& c : all) {
          if (policy::leaves_before(rule, a, b) && policy::leaves_before(rule, b, c)) {
            EXPECT_TRUE(policy::leaves_before(rule, a, c));
          }
        }
      }
    }
  }
}

TEST(EvictNextUse, LeavesWhatAnEarlierTaskNeedsWhileTheWorkersAreBusy) {
  struct Row {
    policy::Sequence wanted_at;
    std::uint32_t runnable, workers;
    bool may;
  };
  for (const Row& row : {Row{4, 2, 2, true}, Row{5, 2, 2, false}, Row{6, 2, 2, false}, Row{6, 1, 2, true}}) {
    EXPECT_EQ(policy::may_displace(Evict::next_use, kSoon, {row.wanted_at, row.runnable, row.workers}), row.may);
    EXPECT_TRUE(policy::may_displace(Evict::lru, kSoon, {row.wanted_at, row.runnable, row.workers}));
  }
}

TEST(Prefetch, DisplacesOnlyWhatIsNeededTwiceAsFarAway) {
  struct Row {
    policy::Sequence next_use, wanted_at, now;
    bool may;
  };
  for (const Row& row : {Row{5, 4, 4, true}, Row{5, 5, 5, false}, Row{5, 6, 6, false}, Row{5, 4, 3, false},
                         Row{6, 4, 3, true}, Row{24, 14, 4, false}, Row{25, 14, 4, true}}) {
    const policy::Candidate victim{.next_use = row.next_use};
    EXPECT_EQ(policy::may_displace_for_later(victim, {row.wanted_at, row.now}), row.may) << row.next_use;
  }
  EXPECT_TRUE(policy::may_displace_for_later(kUnused, {1'000'000, 1}));
}

TEST(Prefetch, StopsAtItsDepthAndAtAPartOfTheTier) {
  EXPECT_EQ(policy::early_limit(8 * kMiB), kMiB);
  EXPECT_EQ(policy::early_limit(kTiB), 64 * kMiB);
  EXPECT_TRUE(policy::look_further({.early_limit = 1, .tasks_looked_at = 3, .depth = 4}));
  EXPECT_FALSE(policy::look_further({.early_limit = 1, .tasks_looked_at = 4, .depth = 4}));
  EXPECT_FALSE(policy::look_further({.early_bytes = 1, .early_limit = 1, .depth = 4}));
  EXPECT_FALSE(policy::look_further({.early_limit = 1, .depth = 0}));
}

TEST(Admit, LetsThoseThatTakeNoRoomPassWhenTheWorkersCanDoWithThem) {
  EXPECT_TRUE(policy::may_pass({.all_in_place = true, .all_pinned = true, .wanted = false}));
  EXPECT_TRUE(policy::may_pass({.all_in_place = true, .all_pinned = false, .wanted = true}));
  EXPECT_FALSE(policy::may_pass({.all_in_place = true, .all_pinned = false, .wanted = false}));
  EXPECT_FALSE(policy::may_pass({.all_in_place = false, .all_pinned = false, .wanted = true}));
}

TEST(Admit, MakesTheFirstThatWaitsTheNextWhenSoManyHaveBeenAdmittedBefore) {
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    const std::uint32_t most = policy::kMostPassesPerWorker * workers;
    EXPECT_FALSE(policy::is_next(0, workers));
    EXPECT_FALSE(policy::is_next(most - 1, workers));
    EXPECT_TRUE(policy::is_next(most, workers));
    EXPECT_TRUE(policy::is_next(most + 1, workers));
  }
}

TEST(Admit, HasTheInnermostTasksFirstAndThenThoseSpawnedFirst) {
  const policy::Turn turns[] = {{.depth = 2, .sequence = 9},
                                {.depth = 1, .sequence = 3},
                                {.depth = 1, .sequence = 8},
                                {.depth = 0, .sequence = 1},
                                {.depth = 0, .sequence = 2}};
  for (const auto& a : turns)
    for (const auto& b : turns) EXPECT_EQ(policy::comes_before(a, b), &a < &b) << a.sequence << " " << b.sequence;
}

TEST(Admit, KnowsWhatCanNeverFitBesideTheTasksAround) {
  struct Row {
    policy::Need need;
    bool fits;
  };
  constexpr Row kRows[] = {
      {{.wanted = 0, .kept = 0, .budget = 0}, true},      {{.wanted = 100, .kept = 0, .budget = 100}, true},
      {{.wanted = 101, .kept = 0, .budget = 100}, false}, {{.wanted = 40, .kept = 60, .budget = 100}, true},
      {{.wanted = 41, .kept = 60, .budget = 100}, false}, {{.wanted = 0, .kept = 100, .budget = 100}, true},
      {{.wanted = 0, .kept = 120, .budget = 100}, false}, {{.wanted = 1, .kept = 100, .budget = 100}, false},
  };
  for (const Row& row : kRows)
    EXPECT_EQ(policy::can_ever_fit(row.need), row.fits) << row.need.wanted << " beside " << row.need.kept;
}

TEST(ReplicaState, HasTheseStepsAndNoOthers) {
  using enum ReplicaState;
  const std::pair<ReplicaState, ReplicaState> steps[] = {{absent, filling}, {filling, clean},  {filling, absent},
                                                         {clean, dirty},    {clean, draining}, {clean, absent},
                                                         {dirty, draining}, {draining, clean}, {draining, dirty}};
  for (const ReplicaState from : {absent, filling, clean, dirty, draining}) {
    for (const ReplicaState to : {absent, filling, clean, dirty, draining}) {
      const bool expected = std::find(std::begin(steps), std::end(steps), std::pair{from, to}) != std::end(steps);
      EXPECT_EQ(may_follow(from, to), expected) << int(from) << " to " << int(to);
    }
  }
}

TEST(ReplicaStateDeathTest, EndsTheProcessOnAStepThatItDoesNotHave) {
  Replica replica;
  EXPECT_DEATH(change_state(replica, ReplicaState::dirty), "state machine");
}

}  // namespace
}  // namespace weir::data
