// SPDX-License-Identifier: Apache-2.0

// Running tasks: the loop, one task, its end. What follows an end is in ending.cpp, but for
// what most ends need.
#include "sched/runner.hpp"

#include <exception>
#include <type_traits>
#include <utility>

#include "platform/prefetch.hpp"
#include "sched/gate.hpp"
#include "sched/relay.hpp"
#include "sched/task_text.hpp"
#include "sched/waiter.hpp"

namespace weir::sched {

namespace {

// The lines behind the header of a task of that size: the closure, and the edges to its own successors.
void prefetch_body(const Task* task, std::size_t size_class) noexcept {
  __builtin_prefetch(task + 1);
  if (size_class > 1) __builtin_prefetch(task + 2);
}

// For a task made on another core, so that the lines arrive while it runs, to be written when it ends. A hint: the list
// may grow since. Only edges in the task's own memory are followed; those elsewhere would have to be waited for.
void prefetch_successors(const Task& task) noexcept {
  const auto* const start = reinterpret_cast<const std::byte*>(&task);
  const auto* const end = start + detail::kSlotBytes[task.size_class];
  for (const Edge* e = task.successors.newest(); e != nullptr; e = e->next) {
    const auto* const at = reinterpret_cast<const std::byte*>(e);
    if (at < start || at >= end) return;
    platform::prefetch_to_write(reinterpret_cast<const void*>(e->target & ~std::uintptr_t{1}));
  }
}

// The thread that waits at an edge, or observes the task. A successor that the edge leads to after all, or null.
[[gnu::noinline]] Task* notify(std::uintptr_t target) noexcept {
  if (Gates::is_gate(target)) return Gates::pass(target), nullptr;
  if (Relay::is_relay(target)) target = Relay::follow(target);
  if ((target & 1) == 0) return reinterpret_cast<Task*>(target);
  reinterpret_cast<Waiter*>(target & ~std::uintptr_t{1})->notify();
  return nullptr;
}

// What a traced run records of one task; its header may be gone when it has run.
class TracedTask {
 public:
  explicit TracedTask(Task& task) noexcept
      : id_(trace_id(task.ref())),
        start_(trace::Track::now()),
        name_(task.note.name()),
        wanted_(task.note.extra() == nullptr ? -1 : task.note.extra()->domain) {}
  void tried_to_begin(trace::Track* track) noexcept {
    const std::uint64_t now = trace::Track::now();
    track->stage(start_, now, id_);
    start_ = now;
  }
  void has_run(trace::Track* track, bool cancelled) const noexcept {
    track->task(start_, trace::Track::now(), id_, name_, cancelled, wanted_);
  }

 private:
  const std::uint64_t id_;
  std::uint64_t start_;
  const char* const name_;
  const int wanted_;  // domain
};
struct NotTraced {
  explicit NotTraced(const Task&) noexcept {}
  void tried_to_begin(const trace::Track*) const noexcept {}
  void has_run(const trace::Track*, bool) const noexcept {}
};

void keep_exception(Peer& worker, const Task& task) noexcept {
  std::exception_ptr exception = std::current_exception();
  if (exception == nullptr) refuse_to_leave_thread(&task);
  if (!task.scope->fail(std::move(exception))) WorkerStatistics::add(worker.counters().dropped);
}

// A task whose scope has failed.
[[gnu::noinline]] void cancel(Peer& worker, Task& task) noexcept {
  try {
    task.invoke(task.closure(), &task, Invoke::destroy);
  } catch (...) {
    keep_exception(worker, task);
  }
  WorkerStatistics::add(worker.counters().cancelled);
}

}  // namespace

Runner::Runner(Worker& self, Team& team, const Identity& identity)
    : Peer(team, identity), self_(self), thief_(self, *this, team, frames_), search_(*this, thief_, team) {}

Runner::Item Runner::search_for_task(Condition& condition) noexcept {
  flush();  // may end a parent, whose successors are then here
  if (const Item item = thief_.next()) return item;
  if (const Item item = thief_.ask_now()) return item;
  StealBackoff& backoff = thief_.backoff();
  if (backoff.measures()) {
    thief_.judge_stolen();
    backoff.stop_measuring();
    if (backoff.keeps_off()) return 0;
  }
  return search_.look(condition);
}

void Runner::keep_off(Condition& condition) noexcept {
  queues().give_away();
  flush();
  search_.keep_off(condition);
}

void Runner::run_traced(Condition& condition, policy::Oldness first) noexcept {
  const std::uint64_t start = trace::Track::now();
  const std::uint32_t end = queues().deque().end();
  while (!condition.done()) {
    if (thief_.backoff().keeps_off()) keep_off(condition);
    Item item = first == policy::Oldness::oldest ? thief_.next_in_order(end) : thief_.next();
    if (item == 0) {
      const std::uint64_t searches = trace::Track::now();
      item = search_for_task(condition);
      track()->search(searches);
    }
    if (item != 0) run<true>(item);
  }
  track()->wait(start, condition.what(), condition.whose());
}

template <bool kTraced>
inline void Runner::run_task(Task* task) noexcept {
  if (ended_count_ != 0 && task->scope != ended_scope_) [[unlikely]]
    flush();
  std::conditional_t<kTraced, TracedTask, NotTraced> traced(*task);
  TaskHooks* const hooks = task->note.is_plain() ? nullptr : task->note.hooks();
  if (hooks != nullptr) [[unlikely]] {
    const bool begins = hooks->try_begin(self_, *task);
    traced.tried_to_begin(track());
    if (!begins) return;
  }
  // What is worth stealing may have successors whose lines are with others.
  if (task->successors.has_edges() && (task->heap != heap().index() || !policy::is_tiny({0, grain_ns()})))
    prefetch_successors(*task);
  Frame& frame = frames_.enter(task);
  if (task->scope->failed()) [[unlikely]] {
    cancel(*this, *task);
    traced.has_run(track(), true);
  } else {
    try {
      task->invoke(task->closure(), task, Invoke::run);
    } catch (...) {
      keep_exception(*this, *task);
    }
    traced.has_run(track(), false);
  }
  frames_.leave(frame);
  if (frame.children != nullptr) [[unlikely]]
    return end_or_detach(std::exchange(frame.children, nullptr).get());
  end(task);
}

template <bool kTraced>
void Runner::run(Item item) noexcept {
  if ((item & StealDeque::kAlone) == 0) [[likely]] {
    run_task<kTraced>(reinterpret_cast<Task*>(item));
  } else {
    run_half<kTraced>(reinterpret_cast<detail::ForkHalf*>(item & ~StealDeque::kAlone));
  }
}
template void Runner::run<false>(Item item) noexcept;
template void Runner::run<true>(Item item) noexcept;

// ---- Ending ----

inline void Runner::count_ended(Scope* scope, bool foreign) noexcept {
  const Worker* const owner = scope->owner();
  if (owner == &self_ && scope->try_count_ended_here()) [[likely]]
    return;
  if (owner == nullptr && !foreign && scope == ended_scope_) {  // no thread looks before the last has ended
    ++ended_count_;
    return;
  }
  count_ended_slow(scope, foreign);
}

// What most ends need is done without a call that returns here, so that it keeps no registers; and in run(), in whose
// place it returns.
[[gnu::always_inline]] inline void Runner::end(Task* task) noexcept {
  if (!task->note.is_plain()) [[unlikely]]
    return end_with_hooks(task);
  if (Edge* const edges = task->successors.close()) return end_with_successors(task, edges);
  finish(task);
}

// All children of a task whose function has returned have ended: so has the task, unless it has others to wait for.
void Runner::end_parent(Scope* children) noexcept {
  Task* const task = children->parent();
  std::exception_ptr failure = children->take_failure();
  Scope* const more = children->close(failure);
  if (failure && !task->scope->fail(std::move(failure))) WorkerStatistics::add(counters().dropped);
  if (more != nullptr) [[unlikely]]
    return end_or_detach(more);
  end(task);
}

void Runner::end_with_hooks(Task* task) noexcept {
  TaskExtra* const extra = task->note.extra();
  if (TaskHooks* const hooks = task->note.hooks()) hooks->end(self_, *task);
  if (Edge* const edges = task->successors.close()) release_successors(edges);
  delete extra;
  finish(task);
}

void Runner::end_with_successors(Task* task, Edge* edges) noexcept {
  release_successors(edges);
  finish(task);
}

// The task, without a TaskExtra by now, is told of to its scope, and its memory goes home.
inline void Runner::finish(Task* task) noexcept {
  WorkerStatistics::add(counters().run);
  if (task->heap != heap().index()) [[unlikely]]
    return finish_elsewhere(task);
  Scope* const scope = task->scope;
  heap().free(task);
  count_ended(scope, false);
}

void Runner::finish_elsewhere(Task* task) noexcept {
  Scope* const scope = task->scope;
  free_elsewhere(task);
  count_ended(scope, true);
}

// The newest edge comes first, so the oldest successor last: it is the one that runs next, here, where its data is.
// Successors were made, and arrived at, by other cores: all their lines are asked for before the first is needed.
void Runner::release_successors(Edge* edge) noexcept {
  const int here = index();
  for (const Edge* e = edge->next; e != nullptr; e = e->next) {
    __builtin_prefetch(reinterpret_cast<void*>(e->target & ~std::uintptr_t{1}), 1);
  }
  while (edge != nullptr) {
    auto* successor = reinterpret_cast<Task*>(edge->target);
    edge = edge->next;  // the successor, and an edge in its memory, may be gone once it is released
    if ((reinterpret_cast<std::uintptr_t>(successor) & 1) != 0) [[unlikely]] {
      successor = notify(reinterpret_cast<std::uintptr_t>(successor));
      if (successor == nullptr) continue;
    }
    // Read before: whoever arrives after this one may run it, and its memory then serve another task.
    const bool made_elsewhere = successor->heap != heap().index();
    const std::size_t size_class = successor->size_class;
    const std::uint32_t missing = successor->arrivals.arrive(here);
    if (missing == 0) {
      const int home = successor->arrivals.home(here);
      if (home != here) [[unlikely]] {
        send_home(successor, home);
      } else {
        prefetch_body(successor, size_class);
        make_next(successor);
      }
    } else if (missing == 1 && made_elsewhere) {
      prefetch_body(successor, size_class);  // it may be made ready here next
    }
  }
}

void Runner::make_next(Task* task) noexcept {
  if (!task->note.is_plain()) [[unlikely]] {
    submit(task);
    return;
  }
  queues().make_next(task);
}

void Runner::end_or_detach(Scope* children) noexcept {
  children->before_wait();
  if (children->detach() == Scope::Done::end_parent) end_parent(children);
}

void Runner::count_ended_slow(Scope* scope, bool foreign) noexcept {
  Worker* const owner = scope->owner();
  if (scope != ended_scope_ && ended_count_ != 0) flush();
  ended_scope_ = scope;
  ++ended_count_;
  if (owner == &self_) return flush();
  const bool reports = owner != nullptr;  // else no thread looks before the last has ended
  StealBackoff& backoff = thief_.backoff();
  const bool time_to_look = backoff.count_run(reports || foreign);
  if (reports ? ended_count_ < policy::kReportBatch : !foreign || !time_to_look) return;
  if (reports) flush();
  if (backoff.measures()) thief_.judge_stolen();
}

}  // namespace weir::sched
