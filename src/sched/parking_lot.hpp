// SPDX-License-Identifier: Apache-2.0

// ParkingLot: which workers search for work and which sleep, and the rule that no wake-up is lost.
//
// One per group of workers that may take each other's tasks. A worker is busy, searching or asleep. Whoever makes a
// task available asks should_wake(), one load, which is true when some sleep and nobody searches, and then wakes one. A
// searcher that finds something, being the last one, wakes the next: so wake-ups spread as long as there is work, and
// one futex call at most is paid per task made. Argument in full: docs/protocols/parking.md.
//
// PARKLOT-1  maker: make the task visible, light_barrier(), read state_. Sleeper: leave the searchers and join the
//            sleepers in state_, heavy_barrier(), look at all queues once more. One of the two sees the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/layout.hpp"
#include "platform/barrier.hpp"
#include "platform/futex.hpp"

namespace weir::sched {

// A worker's entry; part of the worker. Fields are guarded by the lot's mutex.
struct Sleeper {
  platform::Parker parker;
  Sleeper* next = nullptr;
  int domain = 0;
  bool listed = false;
};

class ParkingLot {
 public:
  // Any thread, after a task became visible to the group's workers: whether somebody should be woken for it.
  [[nodiscard]] bool should_wake() const noexcept {
    platform::light_barrier();  // PARKLOT-1
    const std::uint64_t state = state_.load(std::memory_order_relaxed);
    return state >= kSleeper && (state & kSearcherMask) == 0;
  }
  // Wakes a sleeper, of `domain` if there is one, unless somebody searches by now.
  void wake_one(int domain) noexcept { wake(domain, false); }

  // As above for a task that only workers of `domain` should run: wakes one of them though others search.
  void wake_in_domain(int domain) noexcept {
    platform::light_barrier();  // PARKLOT-1
    if (state_.load(std::memory_order_relaxed) >= kSleeper) wake(domain, true);
  }

  // A worker goes from busy to searching and back. stop_searching is true for the last searcher while others sleep:
  // it should wake one when it knows of more work.
  void start_searching() noexcept { state_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] bool stop_searching() noexcept {
    const std::uint64_t before = state_.fetch_sub(1, std::memory_order_acq_rel);
    return before >= kSleeper && (before & kSearcherMask) == 1;
  }

  // After a task became visible to one worker only: whether that one may be asleep.
  bool someone_sleeps() const noexcept {
    platform::light_barrier();  // PARKLOT-1
    return state_.load(std::memory_order_relaxed) >= kSleeper;
  }

  // A worker searches or sleeps; a hint.
  bool someone_idle() const noexcept { return state_.load(std::memory_order_relaxed) != 0; }

  // A searching worker goes to sleep: list(), look at everything once more, parker.park() when there was nothing, and
  // unlist() in any case. It is searching again when unlist() returns.
  void list(Sleeper& self) noexcept;
  void unlist(Sleeper& self) noexcept;
  // All of it at once, for so long at most: what it misses it finds when it looks again, so no barrier is needed.
  void nap(Sleeper& self, std::uint64_t ns) noexcept {
    join_sleepers(self);
    nappers_.fetch_add(1, std::memory_order_relaxed);
    self.parker.park_for(ns);
    nappers_.fetch_sub(1, std::memory_order_relaxed);
    unlist(self);
  }
  // Somebody does, and will look at everything at least once more before it sleeps: who makes a task available after
  // reading true need not wake anyone, at the cost of that nap's length. (A napper that ends its nap just then is
  // searching already, and sleeps only after list().)
  bool someone_naps() const noexcept { return nappers_.load(std::memory_order_relaxed) != 0; }

 private:
  static constexpr std::uint64_t kSleeper = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kSearcherMask = kSleeper - 1;

  void join_sleepers(Sleeper& self) noexcept;
  [[gnu::noinline]] void wake(int domain, bool only_there) noexcept;
  Sleeper* take(int domain, bool only_there) noexcept;

  alignas(base::kDestructiveSize) std::atomic<std::uint64_t> state_{0};  // sleepers << 32 | searchers
  std::atomic<std::uint32_t> nappers_{0};                                // of the sleepers; whoever naps
  alignas(base::kDestructiveSize) std::mutex mutex_;
  Sleeper* first_ = nullptr;  // guarded by mutex_; the last to lie down is the first to be woken
};

}  // namespace weir::sched
