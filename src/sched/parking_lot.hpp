// SPDX-License-Identifier: Apache-2.0

// ParkingLot: which workers search for work and which sleep, and the rule that no wake-up is lost.
//
// One per group of workers that may take each other's tasks. A worker is busy, searching or asleep. A thread
// that makes a task available asks should_wake(), one load, which is true when some sleep and none searches, and then
// wakes one. A searcher that finds something, being the last one, wakes the next: so wake-ups spread as long as there
// is work, and one futex call at most is paid per task made. Argument in full: docs/protocols/parking.md.
//
// Where a group has more workers than processors, no more of them than those are to be awake: a worker that finds that
// more are, and has nothing to run, stands back. It sleeps though there is work, while another one, the watcher, looks
// now and then whether that work gets on. docs/protocols/parking.md#more-workers-than-processors
//
// PARKLOT-1  maker: make the task visible, light_barrier(), read state_. Sleeper: leave the searchers and join the
//            sleepers in state_, heavy_barrier(), look at all queues once more. One of the two sees the other.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/layout.hpp"
#include "base/mutex.hpp"
#include "platform/barrier.hpp"
#include "platform/futex.hpp"

namespace weir::sched {

// A worker's entry; part of the worker. Fields are guarded by the lot's mutex.
struct Sleeper {
  platform::Parker parker;
  Sleeper* next = nullptr;
  int domain = 0;
  bool listed = false;
  bool called = false;  // woken to be the lookout
};

class ParkingLot {
 public:
  // How many of `workers` are to be awake at a time; guests are not counted. The default: all.
  ParkingLot() = default;
  ParkingLot(int workers, int processors) noexcept
      : surplus_(std::max(workers - processors, 0)), most_surplus_(surplus_) {}

  // Any thread, after a task became visible to the group's workers: whether a sleeper should be woken for it.
  [[nodiscard]] bool should_wake() const noexcept {
    platform::light_barrier();  // PARKLOT-1
    return wakes(state_.load(std::memory_order_relaxed));
  }
  // Wakes a sleeper, of `domain` if there is one, unless a worker searches by now.
  void wake_one(int domain) noexcept { wake(domain, false); }

  // As above for a task that only workers of `domain` should run: wakes one of them though others search.
  void wake_in_domain(int domain) noexcept {
    platform::light_barrier();  // PARKLOT-1
    if (some_asleep(state_.load(std::memory_order_relaxed))) wake(domain, true);
  }

  // Wakes one of `domain` that is to look after others there (lookout.hpp). False: none sleeps.
  bool call_lookout(int domain) noexcept;

  // A worker goes from busy to searching and back. stop_searching is true for the last searcher while others sleep:
  // it should wake one when it knows of more work.
  // Relaxed: whoever misses a searcher wakes one more.
  void start_searching() noexcept { state_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] bool stop_searching() noexcept {
    const std::int64_t before = state_.fetch_sub(1, std::memory_order_acq_rel);  // PARKLOT-1
    return before >= kSleeper && (before & kSearcherMask) == 1;
  }

  // After a task became visible to one worker only: whether that one may be asleep.
  bool someone_sleeps() const noexcept {
    platform::light_barrier();  // PARKLOT-1
    return some_asleep(state_.load(std::memory_order_relaxed));
  }

  // A worker searches, or sleeps and does not stand back; a hint.
  bool someone_idle() const noexcept {
    const std::int64_t state = state_.load(std::memory_order_relaxed);
    return state >= kSleeper || (state & kSearcherMask) != 0;
  }

  // ---- Asking for what ends elsewhere (polls.hpp) ----
  // Of the workers that would sleep one, at most, keeps asking. True: it is the caller, until it ends that.
  [[nodiscard]] bool begin_asking() noexcept { return !asked_.exchange(true, std::memory_order_acq_rel); }  // ASK-1
  void end_asking() noexcept { asked_.exchange(false, std::memory_order_acq_rel); }                         // ASK-1
  bool is_asked() const noexcept { return asked_.load(std::memory_order_acquire); }

  // ---- More workers than processors ----
  bool has_surplus() const noexcept { return most_surplus_ != 0; }
  // More are awake than there are processors; a hint.
  bool may_be_crowded() const noexcept { return most_surplus_ != 0 && sleepers() < most_surplus_; }
  // The same without those who leave their processors to others; a hint.
  bool is_crowded() const noexcept {
    return most_surplus_ != 0 && sleepers() < surplus_.load(std::memory_order_relaxed);
  }
  // A busy worker is about to wait for something else than work, and leaves its processor to others; and is back.
  void step_out() noexcept {
    if (has_surplus()) state_.fetch_add(kSleeper, std::memory_order_seq_cst);
  }
  void step_in() noexcept {
    if (has_surplus()) state_.fetch_sub(kSleeper, std::memory_order_seq_cst);
  }
  // So many of the others that are awake wait for something else than work, and leave their processors to others. Not
  // while a worker watches.
  void set_blocked(int workers, std::uint64_t now_ns) noexcept;
  // When it was last set.
  std::uint64_t blocked_set_at() const noexcept { return blocked_set_at_.load(std::memory_order_relaxed); }
  // As list(), of a worker that is one too many. False, and nothing done: it is not.
  [[nodiscard]] bool list_if_crowded(Sleeper& self) noexcept;
  // A searching worker that is one too many becomes a sleeper and the watcher, who sleeps for so long at most, and then
  // searches. False, and nothing done: it is not one too many, or another watches.
  [[nodiscard]] bool watch(Sleeper& self, std::uint64_t ns) noexcept;
  // Somebody does, and looks at everything at least once more before it sleeps for good.
  bool is_watched() const noexcept { return watched_.load(std::memory_order_acquire); }

  // A searching worker goes to sleep: list(), look at everything once more, parker.park() when there was nothing, and
  // unlist() in any case. It is searching again when unlist() returns. True: call_lookout() has woken it.
  // `to_be_last`: to be woken after all others.
  void list(Sleeper& self, bool to_be_last = false) noexcept;
  bool unlist(Sleeper& self) noexcept;
  // All of it at once, for so long at most: what it misses it finds when it looks again, so no barrier is needed.
  bool park_timed(Sleeper& self, std::uint64_t ns) noexcept {
    join_sleepers(self, false);
    // Relaxed: it is counted before it sleeps, and who misses it wakes somebody.
    timed_parks_.fetch_add(1, std::memory_order_relaxed);
    self.parker.park_for(ns);
    timed_parks_.fetch_sub(1, std::memory_order_relaxed);
    return unlist(self);
  }
  // A worker does, and will look at everything at least once more before it sleeps: a thread that makes a task
  // available after reading true need not wake any, at the cost of that time. (A worker whose timed park ends just then
  // is searching already, and sleeps only after list().)
  bool someone_parks_timed() const noexcept { return timed_parks_.load(std::memory_order_relaxed) != 0; }

 private:
  friend class WakeHint;
  static constexpr std::int64_t kSleeper = std::int64_t{1} << 32;
  static constexpr bool wakes(std::int64_t state) noexcept { return state >= kSleeper && (state & kSearcherMask) == 0; }
  static constexpr std::int64_t kSearcherMask = kSleeper - 1;
  // Those that have stepped out are among them.
  std::int64_t sleepers() const noexcept {
    const std::int64_t left_out =
        watched_.load(std::memory_order_relaxed) ? surplus_.load(std::memory_order_relaxed) : 0;
    return (state_.load(std::memory_order_relaxed) >> 32) + left_out;
  }

  bool some_asleep(std::int64_t state) const noexcept { return state >= (1 - most_surplus_) * kSleeper; }
  void join_sleepers(Sleeper& self, bool to_be_last) noexcept;
  Sleeper** end_of_list() noexcept WEIR_REQUIRES(mutex_);
  void enter(Sleeper& self, Sleeper** link) noexcept WEIR_REQUIRES(mutex_);
  void leave(Sleeper& self) noexcept WEIR_REQUIRES(mutex_);
  [[gnu::noinline]] void wake(int domain, bool only_there) noexcept;
  Sleeper* take(int domain, bool only_there) noexcept WEIR_REQUIRES(mutex_);

  // Sleepers, and those that have stepped out, << 32 | searchers; of the former, while one watches, only those beyond
  // the surplus: below 0 when more are awake than should be. Relaxed loads: a barrier stands before those of makers
  // (PARKLOT-1), the others are hints, or under mutex_.
  alignas(base::kDestructiveSize) std::atomic<std::int64_t> state_{0};
  std::atomic<std::uint32_t> timed_parks_{0};  // of the sleepers; relaxed: who misses one wakes it
  std::atomic<bool> watched_{false};           // PARKLOT-1: written under mutex_; relaxed: a hint
  std::atomic<bool> asked_{false};             // written by the one that keeps asking, and who would be
  // Written under mutex_: how many should be asleep, and when it was found out. The first stays while watched_.
  // Relaxed: hints without mutex_, and looked at again under it.
  std::atomic<std::int64_t> surplus_{0};
  std::atomic<std::uint64_t> blocked_set_at_{0};
  const std::int64_t most_surplus_ = 0;
  alignas(base::kDestructiveSize) base::Mutex mutex_;
  Sleeper* first_ WEIR_GUARDED_BY(mutex_) = nullptr;  // the last to lie down is the first to be woken
};

// What a maker looks at after each task: one load, and no call that would cost it registers. Where light_barrier() is
// one, it says each time that a sleeper may have to be woken, and should_wake(), with its barrier, has the answer.
class WakeHint {
 public:
  explicit WakeHint(const ParkingLot& lot) noexcept
      : state_(platform::light_barrier_is_free() ? &lot.state_ : &kMaybe) {}
  // False: should_wake() would be.
  [[nodiscard]] bool may_wake() const noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);  // PARKLOT-1: the light_barrier()
    return ParkingLot::wakes(state_->load(std::memory_order_relaxed));
  }

 private:
  static constexpr std::atomic<std::int64_t> kMaybe{ParkingLot::kSleeper};
  const std::atomic<std::int64_t>* state_;
};

}  // namespace weir::sched
