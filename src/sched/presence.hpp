// SPDX-License-Identifier: Apache-2.0

// Presence: whether a worker's thread is there to run tasks: it rests, sleeps, blocks, or has given its permit up.
//
// Part of the worker. Its thread writes it; any thread reads it, and wakes the worker. docs/protocols/parking.md,
// docs/protocols/permits.md
#pragma once

#include <atomic>
#include <cstdint>

#include "base/layout.hpp"
#include "sched/parking_lot.hpp"
#include "sched/permits.hpp"

namespace weir::sched {

// Whether the thread does nothing for the runtime.
enum class Rest : std::uint8_t {
  none,
  outside,       // outside of tasks, in the program's own code
  asleep,        // until it is woken
  asleep_timed,  // for a while at most
  polling,       // looks again and again for what only others can bring about
};

class Presence {
 public:
  // `spare`: its thread waits for a permit first.
  Presence(ParkingLot& lot, Permits& permits, int domain, bool spare) noexcept : lot_(&lot), permits_(&permits) {
    sleeper_.domain = domain;
    if (!spare) return;
    // Relaxed, both: the worker is not in view of others yet.
    permit_.state.store(PermitHolder::kSpare, std::memory_order_relaxed);
    rest_.store(Rest::asleep, std::memory_order_relaxed);
  }

  // ---- The worker's thread ----
  Rest rest() const noexcept { return rest_.load(std::memory_order_relaxed); }
  void set_rest(Rest rest) noexcept { rest_.store(rest, std::memory_order_release); }
  Sleeper& sleeper() noexcept { return sleeper_; }
  void set_blocked() noexcept { blocked_.store(true, std::memory_order_release); }
  void end_blocking() noexcept {
    blocked_.store(false, std::memory_order_release);
    lot_->step_in();
  }
  void set_thread(int number) noexcept { thread_.store(number, std::memory_order_relaxed); }

  // ---- Any thread ----
  PermitHolder& permit() noexcept { return permit_; }
  const PermitHolder& permit() const noexcept { return permit_; }
  int thread() const noexcept { return thread_.load(std::memory_order_relaxed); }
  bool blocked() const noexcept { return blocked_.load(std::memory_order_acquire); }
  // It runs nothing and is not about to: it sleeps and has not been woken, or its thread is outside of tasks. One that
  // looks for work is not idle: what it waits for may have come, and the system may have taken its core.
  bool idle() const noexcept {
    const Rest rest = rest_.load(std::memory_order_acquire);
    if (rest != Rest::asleep) return rest != Rest::none && rest != Rest::asleep_timed;
    constexpr std::uint32_t kAsks = PermitHolder::kGivenUp | PermitHolder::kNotified;
    // PERMIT-1: who has been notified is about to go on.
    return !sleeper_.parker.is_woken() && permit_.state.load(std::memory_order_acquire) != kAsks;
  }
  // It sleeps for want of work, and no thread has woken it.
  bool rests() const noexcept {
    const Rest rest = rest_.load(std::memory_order_acquire);
    return (rest == Rest::asleep || rest == Rest::asleep_timed) && !sleeper_.parker.is_woken();
  }
  // It runs tasks or looks for some: its thread has use for a processor, unless it waits in the kernel.
  bool is_at_work() const noexcept { return thread() != 0 && !blocked() && !rests() && permit_.has(); }
  void unpark() noexcept {
    if (permit_.notify()) [[unlikely]]  // PERMIT-1
      return ask_for_permit();
    sleeper_.parker.unpark();
  }
  // A thread that has a permit and sleeps, if there is one, passes it on; the others look when they have run what they
  // run.
  [[gnu::noinline]] void ask_for_permit() noexcept {
    if (!permits_->ask(permit_)) lot_->wake_in_domain(sleeper_.domain);
  }

 private:
  std::atomic<Rest> rest_{Rest::outside};  // REST-1: owner writes; relaxed for the owner
  std::atomic<bool> blocked_{false};       // REST-1: owner writes
  std::atomic<int> thread_{0};             // the system's number, of several threads in turn for a guest; relaxed
  // Read-only after start.
  ParkingLot* lot_;
  Permits* permits_;
  // Written by whichever thread wakes this worker.
  alignas(base::kDestructiveSize) Sleeper sleeper_;
  PermitHolder permit_{sleeper_.parker};
};

// While it lives the worker's thread works, whatever it did around that.
class AtWork {
 public:
  explicit AtWork(Presence& presence) noexcept : presence_(presence), outer_(presence.rest()) {
    presence_.set_rest(Rest::none);
  }
  ~AtWork() { presence_.set_rest(outer_); }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  Presence& presence_;
  const Rest outer_;
};

}  // namespace weir::sched
