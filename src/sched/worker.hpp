// SPDX-License-Identifier: Apache-2.0

// Worker: a thread that runs tasks, as the layers above use it: it spawns, waits, forks, blocks.
//
// The thread that made the runtime, the runtime's own threads, and any other thread of the program that spawns or
// waits (a guest) each are one Worker. What others see of it is its base Peer, how it runs tasks its base Runner.
// Unless a function says otherwise, only its thread calls it. docs/protocols/ has the argument for each structure used
// here.
#pragma once

#include <cstdint>

#include "base/hooks.hpp"
#include "base/result.hpp"
#include "sched/condition.hpp"
#include "sched/runner.hpp"
#include "weir/parallel.hpp"

namespace weir::sched {

class Blocking;
class Scheduler;

class Worker final : public Runner {
 public:
  // The scheduler's. `observed`: each spawn is recorded or checked.
  Worker(Team& team, Scheduler& scheduler, const Identity& identity, bool observed);

  Scheduler& scheduler() const noexcept { return scheduler_; }
  // The one whose body the calling thread runs, which a scheduler has started; null on other threads.
  static Worker* started_as() noexcept { return started_as_; }
  // The calling thread is the worker's from now on.
  void be_this_thread() noexcept;
  // The thread has become another runtime's worker, and may still be that when the task that it runs here has returned.
  void has_left() noexcept { thief().has_left(); }

  // ---- Spawning ----
  // A spawn takes place, ready or not. True: it is to be recorded or checked. Thieves look at how fast the count grows;
  // published now and then only: a thief that looks takes the line away, and the store would hold up the spawner.
  // One count serves both, so that being able to trace and to check costs a spawn nothing here.
  [[nodiscard]] bool note_spawn() noexcept {
    if (--quiet_spawns_ != 0) [[likely]]
      return false;
    return end_quiet_spawns();
  }
  // The running task makes another, which may do so, too: the few that are ready here may each be the root of many,
  // and how short those were that were measured says nothing.
  void note_recursion() noexcept {
    if (grain_ns() != policy::kUnknownGrain && queues().deque().size() < policy::kFewTiny) [[unlikely]]
      queues().forget_grain();
  }
  // The scope has reached its limit of unfinished children: runs some, and sets the next limit.
  [[gnu::noinline]] void throttle(Scope& scope) noexcept;

  // ---- Waiting ----
  // Returns when the condition is true, as run_until(). Where tasks block (blocking.hpp) another thread runs tasks in
  // the meantime; this one runs only those of `own`, whose owner it is, if it has them at hand.
  template <class C>
  void wait_until(C& condition, const Scope* own = nullptr) noexcept;
  // The same where the condition is about tasks of `own`, whose owner it is: runs them in the order of their spawning
  // where policy::keeps_order() says so. `grain_ns`: what such a task takes, or policy::kUnknownGrain.
  template <class C>
  void wait_in_order(C& condition, const Scope& own, std::uint64_t grain_ns) noexcept;
  // Where tasks block: others run a task each in the place of this one, if there are any. Returns soon without.
  void let_others_run() noexcept;
  // Runs tasks until the condition is true, or the worker is not needed any more: in the place of threads that wait,
  // too. In no task.
  template <class C>
  void serve(C& until) noexcept;
  // Waits for all children of `scope`, whose owner this is. The scope is ready for new ones; its failure is still in
  // it.
  void wait_for_children(Scope& scope) noexcept;
  // The same for a scope of another worker, whose thread does not use the runtime any more. Does not sleep.
  void wait_for_others(Scope& scope) noexcept;
  void wait_for(TaskRef ref) noexcept;

  // The owner is about to wait for something without running tasks in the meantime, which only a layer above can
  // justify.
  void begin_blocking() noexcept;
  void end_blocking() noexcept { presence().end_blocking(); }

  // ---- fork_join(), as fork_push() and fork_join_half() of weir/parallel.hpp ----
  static Item item_of(const detail::ForkHalf& half) noexcept {
    return reinterpret_cast<Item>(&half) | StealDeque::kAlone;
  }
  bool fork(detail::ForkHalf& half) noexcept {
    half.owner = this;
    return queues().offer(item_of(half));
  }
  // Takes the half back, when `item`, the newest of the deque, is not that half, or there was none (0).
  bool join_slow(detail::ForkHalf& half, Item item) noexcept;

  // ---- The body of the runtime's own threads ----
  // Runs until the scheduler stops.
  void work();
  // The same, once it is granted a permit.
  void work_as_spare();

 private:
  bool end_quiet_spawns() noexcept {
    const bool observed = base::kHooks && observed_;
    quiet_spawns_ = observed ? 1 : kQuietSpawns;
    spawns_ += quiet_spawns_;
    if (spawns_ % kQuietSpawns == 0) queues().publish_spawned(spawns_);
    return observed;
  }
  bool join_slow_busy(detail::ForkHalf& half, Item item) noexcept;

  // Blocking (blocking.cpp).
  bool block_until(Blocking& layer, Condition& condition, const Scope* own) noexcept;
  void run_children(Condition& condition, const Scope& own) noexcept;
  void give_away_tasks() noexcept;
  bool waits_while_others_work(Condition& condition) noexcept;
  base::Status give_up_permit(Condition& condition, bool tasks_first) noexcept;
  bool relieve_another(Condition& until) noexcept;
  bool wait_as_spare(Condition& until) noexcept;

  static thread_local constinit Worker* started_as_;  // by whichever scheduler
  static constexpr std::uint32_t kQuietSpawns = 16;

  // Spawns until note_spawn() does something, and how many there were then.
  std::uint32_t quiet_spawns_ = kQuietSpawns;
  const bool observed_;
  std::uint64_t spawns_ = 0;
  Scheduler& scheduler_;
};

}  // namespace weir::sched
