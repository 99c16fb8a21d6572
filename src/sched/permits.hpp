// SPDX-License-Identifier: Apache-2.0

// Permits: as many threads of a domain run tasks at a time as it has workers, also where a task that waits keeps its
// thread.
//
// One per domain, used only where tasks block (Scheduler::let_tasks_block()). A worker's thread has a permit from the
// start. It gives the permit away before it blocks while there is work, and gets one back before it goes on. So a task
// that waits never lies beneath another one, and the number of tasks that wait is limited by memory alone. Threads that
// are ready to go on come first, in the order in which they became ready, but for a turn of the tasks now and then;
// then workers without a task (spares). Any thread may call everything. docs/protocols/permits.md
//
// PERMIT-1  a thread that makes a condition true writes it, then sets kNotified by a read-modify-write; a thread that
// has given
//           its permit up sets kGivenUp by one, then reads its condition. The later of the two sees the other's write.
// PERMIT-2  granted: release by the thread that grants, acquire by the thread that goes on.
// PERMIT-3  the layer that blocks: release by let_tasks_block(), acquire by workers that look for tasks at the same
// time.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutex.hpp"
#include "platform/futex.hpp"

namespace weir::sched {

// A worker's part in it; part of the worker.
struct PermitHolder {
  enum : std::uint32_t {
    kHeld = 0,      // it may run tasks
    kGivenUp = 1,   // it waits inside of a task, or outside of all, for a condition, and then for a permit
    kSpare = 2,     // it has no task and waits for a permit
    kNone = 4,      // it will run no task any more
    kNotified = 8,  // with kGivenUp: the condition may be true, and it has asked
  };
  explicit PermitHolder(platform::Parker& wakes) noexcept : parker(&wakes) {}
  bool has() const noexcept { return (state.load(std::memory_order_acquire) & ~std::uint32_t{kNotified}) == kHeld; }
  // PERMIT-1. True: the caller asks for a permit on the thread's behalf; no other does.
  bool notify() noexcept { return state.fetch_or(kNotified, std::memory_order_acq_rel) == kGivenUp; }
  void grant() noexcept {
    state.store(kHeld, std::memory_order_release);  // PERMIT-2
    parker->unpark();
  }

  // PERMIT-1, PERMIT-2. Relaxed where it is written under Permits::mutex_: the one that changes it next has had that
  // lock, or is the thread itself.
  std::atomic<std::uint32_t> state{kHeld};
  platform::Parker* parker;
  PermitHolder* next = nullptr;  // guarded by Permits::mutex_
};

class Permits {
 public:
  // A thread that could go on waits for a permit.
  bool wanted() const noexcept { return wanted_.load(std::memory_order_acquire) != 0; }

  // The caller's permit is to go to the one that is returned, by grant(); null: there is none to take it. `tasks`:
  // there are some to run; now and then their turn comes before that of those that want to go on.
  PermitHolder* take_receiver(bool tasks) noexcept;
  // The same, to one that runs tasks first.
  PermitHolder* take_spare() noexcept;
  // The same, but only to one that wants to go on; the caller becomes a spare.
  PermitHolder* relieve(PermitHolder& caller) noexcept;

  // True: it has a permit. Else it is to be granted one by a thread that calls take_receiver(), relieve() or leave().
  [[nodiscard]] bool ask(PermitHolder& holder) noexcept;
  // A spare leaves. False: it has been chosen, and is granted a permit, or will be.
  [[nodiscard]] bool leave_spares(PermitHolder& spare) noexcept;
  // A thread with a permit runs no task any more.
  void leave(PermitHolder& holder) noexcept;

 private:
  static constexpr std::uint32_t kTurns = 8;  // of those, one is the tasks'

  PermitHolder* pop_waiting() noexcept WEIR_REQUIRES(mutex_);
  PermitHolder* pop_spare() noexcept WEIR_REQUIRES(mutex_);

  std::atomic<std::uint32_t> wanted_{0};  // PARKLOT-1: written under mutex_: how many wait
  base::Mutex mutex_;
  PermitHolder* first_ WEIR_GUARDED_BY(mutex_) = nullptr;  // they wait, the first longest
  PermitHolder* last_ WEIR_GUARDED_BY(mutex_) = nullptr;
  PermitHolder* spares_ WEIR_GUARDED_BY(mutex_) = nullptr;  // the last to come is the first to be taken
  std::uint32_t free_ WEIR_GUARDED_BY(mutex_) = 0;          // permits of threads that have left
  std::uint32_t turns_ WEIR_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::sched
