// SPDX-License-Identifier: Apache-2.0

// CurrentWorker: which worker the calling thread is, and whether it may fork at once.
//
// A base of Worker, without fields of its own: all of it is of the thread that calls.
#pragma once

#include <cstdint>
#include <utility>

#include "platform/fresh_stack.hpp"

namespace weir::sched {

class Worker;

class CurrentWorker {
 public:
  // The worker whose frame the calling thread is in, or null.
  static Worker* current() noexcept { return here_.worker; }
  // To be called again where the thread has gone to another stack.
  static void set_current(Worker* worker) noexcept {
    const bool may_fork = worker != nullptr && !all_observed_;
    here_ = {may_fork ? reinterpret_cast<std::uintptr_t>(platform::stack_limit()) : kNoFork, worker};
  }
  // Nothing keeps the thread from a fork: it is a worker's, no observer follows, and enough is left of its stack, in
  // which `local` lies. One comparison for all of it.
  static bool may_fork(const void* local) noexcept {
    return reinterpret_cast<std::uintptr_t>(platform::place_in_stack(local)) >= here_.fork_limit;
  }

  // Spawns and forks of all workers that are made from now on are recorded or checked.
  static void observe_all() noexcept { all_observed_ = true; }
  static bool all_observed() noexcept { return all_observed_; }

 protected:
  struct Here {
    std::uintptr_t fork_limit = kNoFork;  // platform::stack_limit(), or kNoFork
    Worker* worker = nullptr;
  };
  // What the thread was; to be given back by leave(), on the same stack.
  static Here enter(Worker* worker) noexcept {
    const Here outer = here_;
    set_current(worker);
    return outer;
  }
  static void leave(const Here& outer) noexcept { here_ = outer; }
  ~CurrentWorker() = default;

 private:
  static constexpr std::uintptr_t kNoFork = ~std::uintptr_t{0};
  static thread_local constinit Here here_;
  static inline bool all_observed_ = false;
};

}  // namespace weir::sched
