// SPDX-License-Identifier: Apache-2.0

// How far a thread may spawn ahead of the tasks it has spawned. Pure functions: tests/unit/sched/policy_test.cpp.
#pragma once

#include <algorithm>
#include <limits>

#include "sched/policy/steal.hpp"

namespace weir::sched::policy {

// A throttled thread runs tasks until it is so far below its limit, then spawns again: little, so that the memory of
// the tasks that it makes next is still in its first-level cache.
inline constexpr std::int64_t kThrottleStep = 32;
// Where tasks are long, less: others wait for what it runs, and all the while it spawns it runs nothing.
inline constexpr std::int64_t kShortThrottleStep = 8;

constexpr std::int64_t throttle_step(const Victim& self) noexcept {
  return is_tiny(self) ? kThrottleStep : kShortThrottleStep;
}

// When none of its tasks has ended for so long, and no worker has anything to run, a throttled thread spawns again:
// what they wait for may be what it spawns next (a message that it sends, the completion of a task that ends later).
// Where they wait for a slow device, it gets little further ahead.
inline constexpr std::uint64_t kStandstillNs = 100000000;

// Where it starts: a window whose tasks stay in the second-level cache (docs/tuning/sched.md#throttle).
inline constexpr std::int64_t kNearWindow = 256;
// Tasks shorter than this are not worth looking further ahead for: a window out of cache costs more than it finds.
inline constexpr std::uint64_t kShortTaskNs = 1000;

// Where a scope starts.
constexpr std::int64_t first_limit(std::int64_t most, int workers) noexcept {
  if (most == 0) return std::numeric_limits<std::int64_t>::max();
  return std::min(most, std::max(kNearWindow, 2 * kThrottleStep * workers));
}

// Where other workers take its tasks, a throttled thread that has some at hand runs those before it spawns again: what
// it has made ready is what another worker waits for or steals in the meantime. It spawns when it has none, in place of
// a search, or when it has put that off for so long that the others may soon find nothing
// (docs/tuning/sched.md#throttle).
inline constexpr std::uint64_t kLongestPutOffNs = 50000;

// How many of its tasks end before it spawns though it has some at hand.
constexpr std::int64_t put_off_tasks(const Ahead& ahead, std::uint64_t grain_ns) noexcept {
  const std::int64_t step = throttle_step({0, grain_ns});
  if (ahead.workers == 1 || is_tiny({0, grain_ns})) return step;
  return std::max(step, std::min(ahead.now / 2, static_cast<std::int64_t>(kLongestPutOffNs / grain_ns)));
}

// Up to how many unfinished tasks a throttled thread spawns again.
struct Room {
  std::int64_t with_none_at_hand = 0;
  std::int64_t with_some_at_hand = 0;
};

// `kept`: tasks that cannot end before it spawns more.
constexpr Room room_within(const Ahead& ahead, std::uint64_t grain_ns, std::int64_t kept) noexcept {
  const auto room_after = [&](std::int64_t tasks) { return std::max<std::int64_t>(ahead.now - tasks, 0) + kept; };
  return {room_after(throttle_step({0, grain_ns})), room_after(put_off_tasks(ahead, grain_ns))};
}

constexpr bool spawns_again(const Room& room, std::int64_t unfinished, bool some_at_hand) noexcept {
  return unfinished <= (some_at_hand ? room.with_some_at_hand : room.with_none_at_hand);
}

// What a task took, each. Nothing is learnt from tasks that others have run.
constexpr std::uint64_t measured_grain(const Drained& drained, std::uint64_t before) noexcept {
  return drained.tasks > 0 ? drained.ns / static_cast<std::uint64_t>(drained.tasks) : before;
}

// The window grows while some worker finds nothing to do although tasks are long: what it could do may lie further
// ahead. It shrinks again when tasks are short. Never above the option `throttle`.
constexpr std::int64_t next_limit(const Ahead& ahead, const Drained& drained) noexcept {
  const std::int64_t near = first_limit(ahead.most, ahead.workers);
  if (measured_grain(drained, 0) < kShortTaskNs) return near;
  return std::min(drained.someone_idle ? ahead.now * 2 : ahead.now, ahead.most);
}

// Where tasks are so long that what it costs to look further ahead is nothing to them, a thread looks as far ahead as
// it may while what it finds are tasks that wait for one other at most: a chain of tasks on the same memory runs on
// while that is in a cache, where otherwise all chains would have to come to the same length first. Not where many are
// best run in the order of their spawning: those that wait for several others, since what they read was written longer
// ago the deeper the graph is worked off, and those that use blocks, which are fetched and evicted in that order
// (docs/tuning/sched.md#throttle).
inline constexpr std::uint64_t kLongTaskNs = 4000;
inline constexpr std::int64_t kManyInOrder = 64;

// How much more than next_limit(), which is `base`, the limit is for that. `ahead.now` is with what it was more before.
constexpr std::int64_t further_than(std::int64_t base, const Ahead& ahead, const Drained& drained) noexcept {
  const std::uint64_t grain_ns = measured_grain(drained, kLongTaskNs);
  if (drained.in_order >= kManyInOrder || grain_ns < kLongTaskNs) return 0;
  const std::int64_t wanted = drained.tasks == 0 ? ahead.now : std::min(2 * ahead.now, ahead.most);
  return std::max<std::int64_t>(wanted - base, 0);
}

// Of a thread that spawns again though none of `unfinished` ends: a few more, and twice as many each time.
constexpr std::int64_t limit_at_standstill(const Ahead& ahead, std::int64_t unfinished) noexcept {
  return unfinished + std::max(kThrottleStep, ahead.now - std::min(first_limit(ahead.most, ahead.workers), ahead.now));
}

}  // namespace weir::sched::policy
