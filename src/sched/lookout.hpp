// SPDX-License-Identifier: Apache-2.0

// Lookout: keeps workers of a domain that are bound to a core each from waiting for it while another core is free.
//
// One per domain. Of the workers that sleep for want of work one looks now and then whether those that have something
// to run have a processor: another program, or the thread of worker 0, which is bound to no core, may be on theirs. It
// moves such a worker to its own core. docs/protocols/parking.md#workers-that-wait-for-their-core
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <deque>

#include "platform/futex.hpp"
#include "sched/policy/idling.hpp"
#include "sched/presence.hpp"

namespace weir::sched {

class Lookout {
 public:
  // Before the first task: the worker is bound to this CPU; it counts in `parks` how often it has slept.
  void watch(const Presence& worker, const std::atomic<std::uint64_t>& parks, int cpu);
  // The same of worker 0, which is not: none of the others is.
  void leave_free(int cpu);

  // `self` sleeps until it is woken, or for so long at most (0: no limit), and looks meanwhile unless another does.
  // True: it has looked, and whoever sleeps may be wanted for that now (is_missed()).
  bool sleep(const Presence& self, platform::Parker& parker, std::uint64_t longest_ns) noexcept;
  // One look, by a worker that is awake and has nothing to run.
  void look_once(const Presence& self) noexcept;

  // Nobody looks after those that have something to run; `self`, the caller's, has if `runs`. platform::light_barrier()
  // comes before. Then one that sleeps is to be woken, by one thread: which begin_call() is true for.
  bool is_missed(const Presence& self, bool runs) const noexcept;
  [[nodiscard]] bool begin_call() noexcept { return !called_.exchange(true, std::memory_order_acq_rel); }  // LOOKOUT-3
  // By the one that was woken, which is about to sleep again, or has found something to run; or nobody was.
  void end_call() noexcept { called_.store(false, std::memory_order_release); }  // LOOKOUT-3

  // The calling thread is `self`, which has nothing to run: it is bound to its core again if it has been without that
  // for long enough.
  void go_home(const Presence& self, std::uint64_t now_ns) noexcept;

  // On the thread of worker 0, which is about to wake another: it may be on the core that this one is bound to, and the
  // kernel would let one of them wait there, for milliseconds, though another core is free. That worker gets the core
  // that is left free.
  void make_way() noexcept;

 private:
  struct Watched {
    Watched(const Presence& presence, const std::atomic<std::uint64_t>& its_parks, int its_cpu) noexcept
        : worker(presence), parks(its_parks), cpu(its_cpu) {}
    const Presence& worker;
    const std::atomic<std::uint64_t>& parks;  // relaxed: a hint
    std::atomic<int> cpu;                     // relaxed: written by the thread of worker 0
    std::atomic<std::uint64_t> let_go_ns{0};  // LOOKOUT-2: when its thread was let go; 0: it is bound
    // Of whoever looks while it is bound, of its own thread while it is not.
    policy::Away away;
    // Of whoever looks: what was seen last.
    std::uint64_t seen_ns = 0, ran_ns = 0, parked = 0;
  };

  bool begin() noexcept { return !watched_.empty() && !looks_.exchange(true, std::memory_order_acq_rel); }  // LOOKOUT-1
  // LOOKOUT-3: acquires, so that who ends it sees in asleep_ whoever did not begin because of it.
  void end() noexcept { static_cast<void>(looks_.exchange(false, std::memory_order_acq_rel)); }  // LOOKOUT-1
  bool sleep_and_look(const Presence& self, platform::Parker& parker, std::uint64_t longest_ns) noexcept;
  bool look(const Presence& self) noexcept;
  static bool lacks_its_core(Watched& watched, std::uint64_t now_ns) noexcept;

  std::deque<Watched> watched_;      // none is added after the start
  cpu_set_t cpus_{};                 // of all of them, and the free one; read-only after the start
  int free_cpu_ = -1;                // of worker 0's thread
  std::atomic<int> let_go_{0};       // how many have been; relaxed: a hint
  std::atomic<bool> looks_{false};   // LOOKOUT-1: a worker does
  std::atomic<bool> called_{false};  // LOOKOUT-3: one has been woken to do so
  std::atomic<int> asleep_{0};       // in sleep(); relaxed: counted before begin()
};

}  // namespace weir::sched
