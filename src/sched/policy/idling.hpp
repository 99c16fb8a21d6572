// SPDX-License-Identifier: Apache-2.0

// What a worker does that finds nothing: how long it looks, when it sleeps and for how long. Pure functions:
// tests/unit/sched/idling_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/policy/steal.hpp"

namespace weir::sched::policy {

// ---- While it looks ----

// Between two looks, doubling: each look takes the victim's hottest cache line away
// (docs/tuning/sched.md#pauses-of-a-search).
inline constexpr std::uint64_t kFirstPauseNs = 50;
inline constexpr std::uint64_t kLongestPauseNs = 400;

// `before`: the pause that was due before, 0: none. Where what was seen is too small to be taken at once, its owners
// are at it.
constexpr std::uint64_t next_pause(std::uint64_t before) noexcept {
  return before == 0 ? kFirstPauseNs : std::min(before * 2, kLongestPauseNs);
}
constexpr std::uint64_t pause_for(std::uint64_t due, bool saw_tiny) noexcept { return saw_tiny ? kTinyNs / 2 : due; }

enum class IdleStep : std::uint8_t {
  yield,       // lets another thread have the processor
  pause,       // looks again soon
  timed_park,  // sleeps, and looks again after a while though nothing wakes it
  park,        // sleeps until it is woken
};

// A worker parks with a time limit, and does not park, while a victim works on tiny tasks: that one does not wake it.
// After this many in a row, a tenth of a second, it sleeps as soon as it sees no work: the victim may be long gone.
inline constexpr std::uint32_t kMostTimedParks = 32;

constexpr IdleStep next_step(const Idleness& idle) noexcept {
  if (idle.crowded) return IdleStep::yield;
  if (idle.looked_ns < idle.look_for_ns) return IdleStep::pause;
  if (idle.saw_tiny && idle.timed_parks < kMostTimedParks && !idle.another_parks_timed) return IdleStep::timed_park;
  return IdleStep::park;
}

// After a timed park a short look is enough.
constexpr std::uint64_t look_after_timed_park_ns(std::uint64_t park_after_ns) noexcept {
  return std::min(park_after_ns, 2 * kTinyNs);
}

// ---- With a time limit ----

inline constexpr std::uint64_t kFirstTimedParkNs = 500000;
inline constexpr std::uint64_t kLongestTimedParkNs = 4000000;
// Where more workers are awake than there are processors, one of those that sleep looks so often whether the work gets
// on.
inline constexpr std::uint64_t kFirstWatchNs = 1000000;
inline constexpr std::uint64_t kLongestWatchNs = 8000000;

constexpr std::uint64_t next_timed_park(std::uint64_t before) noexcept {
  return std::min(before * 2, kLongestTimedParkNs);
}
constexpr std::uint64_t next_watch(std::uint64_t before) noexcept { return std::min(before * 2, kLongestWatchNs); }

// ---- A worker that waits for its core ----

// One of those that sleep looks as often as above whether those that have something to run have a processor, too.
// What was seen longer ago than this says nothing about now.
inline constexpr std::uint64_t kStaleNs = 4 * kLongestWatchNs;
// It had its core for less than half of the time: another program has it.
constexpr bool lacks_its_core(const OnItsCore& seen) noexcept {
  return seen.stayed_awake && seen.passed_ns >= kFirstWatchNs && seen.passed_ns <= kStaleNs &&
         2 * seen.ran_ns < seen.passed_ns;
}
// How long such a worker may be on other cores before it tries its own again: twice as long each time that it lacks
// that soon after.
class Away {
 public:
  void begin(std::uint64_t now_ns) noexcept {
    longest_ns_ = now_ns - ended_ns_ < longest_ns_ ? std::min(2 * longest_ns_, kLongestNs) : kFirstNs;
  }
  constexpr bool is_over(std::uint64_t since_ns, std::uint64_t now_ns) const noexcept {
    return now_ns >= since_ns + longest_ns_;
  }
  void end(std::uint64_t now_ns) noexcept { ended_ns_ = now_ns; }

  static constexpr std::uint64_t kFirstNs = 100000000, kLongestNs = 3200000000;

 private:
  std::uint64_t longest_ns_ = kFirstNs;
  std::uint64_t ended_ns_ = 0;
};

// ---- Asking for what ends elsewhere ----

// The nap of the one worker that keeps asking while it has nothing else to do, and what it becomes when nothing has
// ended.
inline constexpr std::uint64_t kFirstAskingNapNs = 20000;
inline constexpr std::uint64_t kLongestAskingNapNs = 1000000;
constexpr std::uint64_t next_asking_nap(std::uint64_t before) noexcept {
  return std::min(before * 2, kLongestAskingNapNs);
}
// A worker that runs tasks asks between two of them, but not more often than this.
inline constexpr std::uint64_t kAskBetweenTasksNs = 5000;
// Reading the clock takes as long as the work of a short task does, so it runs so many before it looks whether that
// time has come: more where `before` of them took at most half of it, one where they took all of it.
inline constexpr std::uint32_t kMostTasksBetweenLooks = 16;
constexpr std::uint32_t tasks_to_next_look(std::uint32_t before, std::uint64_t took_ns) noexcept {
  if (took_ns >= kAskBetweenTasksNs) return 1;
  return took_ns * 2 <= kAskBetweenTasksNs ? std::min(before * 2, kMostTasksBetweenLooks) : before;
}

// ---- More workers than processors ----

enum class StandBack : std::uint8_t {
  sleep,       // until it is woken
  watch,       // sleeps with a time limit, then sees whether the work gets on
  leave_work,  // sleeps though there is work: another one watches
};

// Of a worker that is one too many.
constexpr StandBack stand_back(const Crowded& crowded) noexcept {
  if (!crowded.sees_tasks) return StandBack::sleep;
  return crowded.others_look_later ? StandBack::leave_work : StandBack::watch;
}

// The last look before it sleeps: true when what is for it alone decides, false when all work that it sees keeps it
// awake.
constexpr bool only_own_keeps_awake(const Sleepy& sleepy) noexcept {
  return sleepy.leaves_work && sleepy.others_look_later;
}

}  // namespace weir::sched::policy
