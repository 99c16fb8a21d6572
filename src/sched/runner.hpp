// SPDX-License-Identifier: Apache-2.0

// Runner: a worker as the thread that runs tasks: what it executes, what becomes of a task's end, and the loop.
//
// The base of Worker. Its own thread only, but where a function says "any thread".
#pragma once

#include <cstdint>
#include <utility>

#include "base/layout.hpp"
#include "platform/fresh_stack.hpp"
#include "sched/condition.hpp"
#include "sched/current_worker.hpp"
#include "sched/frames.hpp"
#include "sched/peer.hpp"
#include "sched/scope.hpp"
#include "sched/search.hpp"
#include "sched/task.hpp"
#include "sched/task_heap.hpp"
#include "sched/thief.hpp"
#include "weir/parallel.hpp"

namespace weir::sched {

class Runner;
class Worker;

// Prompt tasks (TaskNote::is_prompt()), which run at once on the worker that makes them ready.
struct Prompt {
  // What `runner`, the calling thread's, has made ready; a held one is released by it, of which nothing else may be
  // missing. False: nothing was done, since it runs a prompt task already, which a chain of them would pile up on.
  static bool try_run(Runner& runner, Task& task) noexcept;
};

class Runner : public Peer, public CurrentWorker {
  friend struct Prompt;

 public:
  // `self`: the worker whose base this is, for hooks and for current().
  Runner(Worker& self, Team& team, const Identity& identity);

  // ---- What it executes ----
  Frame& frame() noexcept { return frames_.innermost(); }
  Scope* root_scope() const noexcept { return frames_.root().children; }  // outside of tasks; null before a spawn
  // Any thread; see Frames.
  template <class F>
  void for_each_frame(F&& f) const {
    frames_.for_each(std::forward<F>(f));
  }
  // Any thread. In a task that does not wait.
  bool runs_task() const noexcept { return frames_.run_task(); }

  // ---- Tasks that are ready ----
  // Makes one available: to this worker and to thieves, or to the domain and with the priority it asks for.
  void submit(Task* task) noexcept {
    if (task->note.is_plain()) [[likely]]
      queues().push(reinterpret_cast<Item>(task));
    else
      submit_with_wishes(task);
  }

  // Runs tasks until condition.done(), and sleeps when there are none. C is the condition's own class. Oldest first:
  // what is in the deque now, in its order, and what is put there meanwhile as ever, before the rest. Outside of tasks.
  template <policy::Oldness kFirst = policy::Oldness::newest, class C>
  void run_until(C& condition) noexcept {
    if (platform::stack_is_short()) [[unlikely]]
      return run_until_on_fresh_stack<kFirst>(condition);
    const Here outer = enter(&self_);  // the thread may work for another runtime, too
    const AtWork at_work(presence());
    Frame& frame = frames_.innermost();
    const std::uintptr_t outer_wait = frame.waits_for;
    frame.waits_for = condition.subject();
    const std::uint32_t end = queues().deque().end();
    if (track() != nullptr) [[unlikely]]
      run_traced(condition, kFirst);
    while (!condition.done()) {
      if (thief_.backoff().keeps_off()) [[unlikely]]
        keep_off(condition);
      if (const Item item = kFirst == policy::Oldness::oldest ? thief_.next_in_order(end) : thief_.next())
        run<false>(item);
      else if (const Item found = search_for_task(condition))
        run<false>(found);
    }
    queues().give_away();
    flush();
    frame.waits_for = outer_wait;
    leave(outer);
  }

  // What it runs has begun something that has to be asked for (polls.hpp), and so that others may ask.
  void notify_asking() noexcept {
    thief_.ask_between_tasks();
    if (queues().lot().should_wake()) queues().wake_one();
  }

  // ---- Tasks that have ended, or never ran ----
  // Gives the memory of a task that ended here back to its heap.
  void free(Task* task) noexcept {
    delete task->note.extra();
    if (task->heap == heap().index()) [[likely]] {
      heap().free(task);
      return;
    }
    free_elsewhere(task);
  }
  // Never submitted, nor will it be: observers take it for one that has ended.
  void give_up(Task* task) noexcept;
  // The same, and gives its memory back.
  void abandon(Task* task) noexcept;

  // Children that were announced by Scope::expect() will not be made; to be called in one that runs, or for one that
  // was never submitted.
  void give_back(Scope* scope, std::int64_t count) noexcept;
  // This many children of the scope have ended here, or were given back, and the scope does not know yet: they count as
  // announced again. False: fewer.
  bool take_again(const Scope* scope, std::int64_t count) noexcept {
    if (ended_scope_ != scope || ended_count_ < count) return false;
    ended_count_ -= count;
    return true;
  }
  // Reports children that ended here to their scope and gives tasks back to their heaps. Called before anything that
  // may take long.
  void flush() noexcept;

 protected:
  ~Runner() = default;

  Thief& thief() noexcept { return thief_; }
  Search& search() noexcept { return search_; }
  void run_one(Item item) noexcept { track() == nullptr ? run<false>(item) : run<true>(item); }

 private:
  template <policy::Oldness kFirst, class C>
  [[gnu::noinline]] void run_until_on_fresh_stack(C& condition) noexcept {
    struct Call {
      Runner& runner;
      C& condition;
    } call{*this, condition};
    const auto go_on = [](void* there) {
      static_cast<Call*>(there)->runner.template run_until<kFirst>(static_cast<Call*>(there)->condition);
    };
    platform::run_on_fresh_stack(go_on, &call);
  }
  // The loop of run_until().
  [[gnu::noinline]] void run_traced(Condition& condition, policy::Oldness first) noexcept;
  [[gnu::noinline]] Item search_for_task(Condition& condition) noexcept;
  [[gnu::noinline]] void keep_off(Condition& condition) noexcept;

  template <bool kTraced>
  void run(Item item) noexcept;
  template <bool kTraced>
  [[gnu::always_inline]] void run_task(Task* task) noexcept;  // in run(), where it is called
  template <bool kTraced>
  void run_half(detail::ForkHalf* half) noexcept;

  void end(Task* task) noexcept;  // in what ends with it
  [[gnu::noinline]] void end_with_hooks(Task* task) noexcept;
  [[gnu::noinline]] void end_with_successors(Task* task, Edge* edges) noexcept;
  void finish(Task* task) noexcept;
  void end_or_detach(Scope* children) noexcept;
  [[gnu::noinline]] void end_parent(Scope* scope) noexcept;
  void release_successors(Edge* edge) noexcept;
  void make_next(Task* task) noexcept;
  [[gnu::noinline]] void send_home(Task* task, int home) noexcept;
  [[gnu::noinline]] void submit_with_wishes(Task* task) noexcept;
  [[gnu::noinline]] void free_elsewhere(Task* task) noexcept;
  void count_ended(Scope* scope, bool foreign) noexcept;
  [[gnu::noinline]] void count_ended_slow(Scope* scope, bool foreign) noexcept;
  [[gnu::noinline]] void finish_elsewhere(Task* task) noexcept;
  bool report(Scope* scope, std::int64_t count) noexcept;

  alignas(base::kDestructiveSize) Frames frames_;
  Worker& self_;
  Scope* ended_scope_ = nullptr;  // of children that ended here and have not been reported
  std::int64_t ended_count_ = 0;
  FreeBatch* freed_ = nullptr;  // tasks of freed_heap_ that ended here
  TaskHeap* freed_heap_ = nullptr;
  bool flushing_ = false;
  bool runs_promptly_ = false;  // a prompt task
  Thief thief_;
  Search search_;
};

}  // namespace weir::sched
