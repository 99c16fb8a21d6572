// SPDX-License-Identifier: Apache-2.0

// From whom to steal, and when to leave a victim its last task. Pure functions: tests/unit/sched/policy_test.cpp.
#pragma once

#include "sched/policy/snapshot.hpp"

namespace weir::sched::policy {

// Whether a thief may take from another domain now.
constexpr bool may_steal_far(const Thief& thief) noexcept {
  switch (thief.policy) {
    case Policy::flat: return true;
    case Policy::numa: return false;
    case Policy::near: return thief.searched_ns >= thief.far_after_ns;
  }
  return false;
}

// Tasks shorter than this are not worth stealing one by one: the cache lines of the task and its neighbours that change
// cores cost as much (docs/tuning.md#tiny).
inline constexpr std::uint64_t kTinyTaskNs = 250;
// The same of what a thief has measured, the lines that it waited for included, where it does not know what such tasks
// take at home; and how many times as long as at home a stolen task may take.
inline constexpr std::uint64_t kTinyStolenNs = 300;
inline constexpr std::uint64_t kMostSlowdown = 3;

// How long a victim's tasks must have lain there when they are few: one, or a handful of tiny ones.
inline constexpr std::uint64_t kLoneNs = 1000;
inline constexpr std::uint64_t kTinyNs = 10000;
inline constexpr std::uint32_t kFewTiny = 32;
// Spawning so many tasks between two looks means that the victim will soon be throttled or wait, and run them itself.
// Workers publish their count every 16 spawns, so any change seen is busy.
inline constexpr std::uint64_t kBusySpawns = 8;

// A worker naps, and does not sleep, while a victim works on tiny tasks: that one does not wake it. It looks again
// after so long, at first and at most, doubling in between.
inline constexpr std::uint64_t kFirstNapNs = 500000;
inline constexpr std::uint64_t kLongestNapNs = 4000000;
// After so many naps in a row, a tenth of a second, it sleeps as soon as it sees no work: the victim may be long gone.
inline constexpr std::uint32_t kMostNaps = 32;
// Where more workers are awake than there are processors, one of those that sleep looks so often, doubling in between,
// whether the work gets on.
inline constexpr std::uint64_t kFirstWatchNs = 1000000;
inline constexpr std::uint64_t kLongestWatchNs = 8000000;
// Waking a sleeping thread costs the waker up to 30 us on a virtual machine: the work must be worth that.
inline constexpr std::uint64_t kWorthWakingNs = 50000;

constexpr bool is_tiny(const Victim& victim) noexcept { return victim.pace_ns < kTinyTaskNs; }

// Whether a worker that has made a task available should wake a sleeper for what it has.
constexpr bool is_worth_waking(const Victim& self) noexcept {
  return !is_tiny(self) || self.items * self.pace_ns >= kWorthWakingNs;
}

// Whether a thief looks twice before it steals from this victim. Stealing one small task costs both sides more than
// running it: a producer of a chain would lose the chain to a thief that then trails it, line by line.
constexpr bool needs_second_look(const Victim& victim) noexcept {
  if (is_tiny(victim)) return victim.items < kFewTiny;
  return victim.items == 1 && victim.pace_ns == kUnknownPace;
}

// The second look: nothing has moved for a while, and the victim is not busy spawning. So a victim that is about to
// run its tasks keeps them, and one that is away in a long task, or in the program's own code, does not.
constexpr bool has_lain_long_enough(const Victim& victim, const Look& earlier, const Look& now) noexcept {
  return earlier.victim == now.victim && earlier.version == now.version &&
         now.spawned - earlier.spawned < kBusySpawns &&
         now.at_ns - earlier.at_ns >= (is_tiny(victim) ? kTinyNs : kLoneNs);
}

// So many tasks at once are worth it however short: the thief asks for their lines ahead of running them, and touches
// the victim's deque once for all.
inline constexpr std::uint32_t kLargeBatch = 32;

// Whether a thief that has nearly run what it stole asks the same victim for tiny tasks: it gets half.
constexpr bool has_more_to_steal(const Victim& victim) noexcept { return victim.items >= 4 * kLargeBatch; }

inline constexpr std::uint64_t kFirstRetreatNs = 8000;
inline constexpr std::uint64_t kLongestRetreatNs = 64000;

// Whether two workers get on faster with what the thief took. A thief that trails a chain of short tasks line by line
// is itself slow enough to make them look long: so what they take at home is asked first.
constexpr bool are_worth_it(const Spoils& spoils) noexcept {
  const std::uint64_t pace = spoils.ns / spoils.tasks;
  if (spoils.batch >= kLargeBatch) return true;
  if (spoils.home_pace_ns == kUnknownPace) return pace >= kTinyStolenNs;
  return pace >= kTinyTaskNs && pace <= kMostSlowdown * spoils.home_pace_ns;
}

// What stolen tasks take, less what it cost to move them where that was most of it. There were some.
constexpr std::uint64_t measured_pace(const Spoils& spoils) noexcept {
  const std::uint64_t pace = spoils.ns / spoils.tasks;
  const bool known = spoils.home_pace_ns != kUnknownPace;
  return known && pace > kMostSlowdown * spoils.home_pace_ns ? spoils.home_pace_ns : pace;
}

// How long a thief keeps from stealing after such spoils; `before` is the time it last kept from it. 0: not at all.
constexpr std::uint64_t retreat_ns(const Spoils& spoils, std::uint64_t before) noexcept {
  if (spoils.tasks == 0) return before;
  if (are_worth_it(spoils)) return 0;
  if (before == 0) return kFirstRetreatNs;
  return before * 2 < kLongestRetreatNs ? before * 2 : kLongestRetreatNs;
}

}  // namespace weir::sched::policy
