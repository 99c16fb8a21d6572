// SPDX-License-Identifier: Apache-2.0

// What is worth stealing: when a thief leaves a victim its last tasks, how many it takes, when it keeps from stealing.
// Pure functions: tests/unit/sched/policy_test.cpp.
#pragma once

#include "sched/policy/snapshot.hpp"
#include "sched/policy/sources.hpp"

namespace weir::sched::policy {

// Tasks shorter than this are not worth stealing one by one: the cache lines of the task and its neighbours that change
// cores cost as much (docs/tuning/sched.md#tiny-tasks).
inline constexpr std::uint64_t kTinyTaskNs = 250;
// The same of what a thief has measured, the lines that it waited for included, where it does not know what such tasks
// take at home; and how many times as long as at home a stolen task may take.
inline constexpr std::uint64_t kTinyStolenNs = 300;
inline constexpr std::uint64_t kMostSlowdown = 3;

// How long a victim's tasks must have lain there when they are few: one, or a few tiny ones.
inline constexpr std::uint64_t kLoneNs = 1000;
inline constexpr std::uint64_t kTinyNs = 10000;
inline constexpr std::uint32_t kFewTiny = 32;
// Spawning so many tasks between two looks means that the victim will soon be throttled or wait, and run them itself.
// Workers publish their count every 16 spawns, so any change seen is busy.
inline constexpr std::uint64_t kBusySpawns = 8;

constexpr bool is_tiny(const Victim& victim) noexcept { return victim.grain_ns < kTinyTaskNs; }

// Whether a thief looks twice before it steals from this victim. Stealing one small task costs both sides more than
// running it: a producer of a chain would lose the chain to a thief that then trails it, line by line.
constexpr bool needs_second_look(const Victim& victim) noexcept {
  if (is_tiny(victim)) return victim.items < kFewTiny;
  return victim.items == 1 && victim.grain_ns == kUnknownGrain;
}

// The second look: nothing has moved for a while, and the victim is not busy spawning. So a victim that is about to
// run its tasks keeps them, and one that is away in a long task, or in the program's own code, does not.
constexpr bool has_lain_long_enough(const Victim& victim, const Look& earlier, const Look& now) noexcept {
  return earlier.victim == now.victim && earlier.version == now.version &&
         now.spawned - earlier.spawned < kBusySpawns &&
         now.at_ns - earlier.at_ns >= (is_tiny(victim) ? kTinyNs : kLoneNs);
}

// Whether what was seen now begins the wait for a second look: something has moved, or it is another victim.
constexpr bool is_new_first_look(const Look& earlier, const Look& now) noexcept {
  return earlier.victim != now.victim || earlier.version != now.version || now.spawned - earlier.spawned >= kBusySpawns;
}

// ---- How many ----

// This many tasks at once are worth it however short: the thief asks for their lines ahead of running them, and touches
// the victim's deque once for all.
inline constexpr std::uint32_t kLargeBatch = 32;

// Of stolen tasks the lines are asked for this many tasks ahead (docs/tuning/sched.md#lines-asked-for-ahead).
inline constexpr std::uint32_t kPrefetchAhead = 20;
// Tiny ones are taken from the thief's deque at most this many at a time (docs/tuning/sched.md#private-steal-batch).
inline constexpr std::uint32_t kPrivateBatch = 16;
static_assert(kPrefetchAhead > kPrivateBatch);
// When this many are left of what it stole, a thief asks the same victim again
// (docs/tuning/sched.md#more-from-the-same-victim).
inline constexpr std::uint32_t kStealMoreAt = kPrefetchAhead + kPrivateBatch;

// Whether a thief that has nearly run what it stole asks the same victim for tiny tasks: it gets half.
constexpr bool has_more_to_steal(const Victim& victim) noexcept { return victim.items >= 4 * kLargeBatch; }

// Which of a victim's places a thief takes from: what its owner comes to last, and the task in its mailbox only when it
// has nothing else.
constexpr bool steals_from(Source source, const Stock& victim) noexcept {
  switch (source) {
    case Source::overflow: return true;
    case Source::deque: return victim.items != 0;
    case Source::batch: return victim.items == 0 && victim.in_batch != 0;
    case Source::mailbox: return victim.items == 0 && victim.in_batch == 0;
    default: return false;
  }
}

// A task that is sent to a worker is left to it for this long.
constexpr bool may_take_mail(std::uint64_t searched_ns) noexcept { return searched_ns >= kLoneNs; }

// Past a quarter of the stack a thread that waits leaves other workers' tasks to them for a while, as each that it runs
// lies on top of what is there. Not for ever, nor does it sleep meanwhile: a maker that sees it search, or wakes it,
// wakes nobody else, and others may be busy, or away in the program's own code.
inline constexpr std::uint64_t kDeepNs = 10000;
constexpr bool is_deep(const StackUse& stack) noexcept { return stack.left < stack.total / 4 * 3; }
constexpr bool leaves_to_others(const StackUse& stack, std::uint64_t searched_ns) noexcept {
  return searched_ns < kDeepNs && is_deep(stack);
}

// ---- What it was worth ----

// Children of another worker that may have ended before their scope is notified.
inline constexpr std::int64_t kReportBatch = 32;
// Stolen tasks between two looks at the clock where no scope is notified: each waits for all loads that are under way.
inline constexpr std::uint64_t kMeasureBatch = 128;

// Whether two workers get on faster with what the thief took. A thief that trails a chain of short tasks line by line
// is itself slow enough to make them look long: so what they take at home is asked first.
constexpr bool is_worth_it(const StolenBatch& batch) noexcept {
  const std::uint64_t grain = batch.ns / batch.tasks;
  if (batch.at_once >= kLargeBatch) return true;
  if (batch.home_grain_ns == kUnknownGrain) return grain >= kTinyStolenNs;
  return grain >= kTinyTaskNs && grain <= kMostSlowdown * batch.home_grain_ns;
}

// What stolen tasks take, less what it cost to move them where that was most of it. There were some.
constexpr std::uint64_t measured_grain(const StolenBatch& batch) noexcept {
  const std::uint64_t grain = batch.ns / batch.tasks;
  const bool known = batch.home_grain_ns != kUnknownGrain;
  return known && grain > kMostSlowdown * batch.home_grain_ns ? batch.home_grain_ns : grain;
}

inline constexpr std::uint64_t kFirstBackoffNs = 8000;
inline constexpr std::uint64_t kLongestBackoffNs = 64000;

// How long a thief keeps from stealing after such a batch; `before`: how long it last did. 0: not at all.
constexpr std::uint64_t steal_backoff_ns(const StolenBatch& batch, std::uint64_t before) noexcept {
  if (batch.tasks == 0) return before;
  if (is_worth_it(batch)) return 0;
  if (before == 0) return kFirstBackoffNs;
  return before * 2 < kLongestBackoffNs ? before * 2 : kLongestBackoffNs;
}

}  // namespace weir::sched::policy
