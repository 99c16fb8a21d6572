// SPDX-License-Identifier: Apache-2.0

// Runtime: the workers, and the functions by which a program gives them tasks.
//
// The thread that makes a Runtime is its worker 0: it runs tasks while it waits (wait(), get(), fork_join() and the
// rest) and when it is throttled. The other workers are threads of the runtime. Any other thread may also spawn and
// wait, Runtime::kMaxThreads of them at a time; tasks that different threads spawn outside of tasks are not ordered by
// their footprints, only by handles.
//
// Inside a task, spawn() makes children of that task. A task has ended when its callable and all its children have:
// only then do the tasks that depend on it start. Footprints order siblings; a child's footprint lies within its
// parent's, unless the parent declared none (checked in debug builds).
//
// An exception that leaves a task is kept by the scope it was spawned in (the parent task, or the thread): the first
// one wins and is thrown by that scope's wait(), the others are counted, and tasks of the scope that have not started
// are cancelled. An exception still there when the parent task ends goes on to the parent's scope. A task that ends its
// thread by pthread_exit(), or whose thread is cancelled, ends the process with a message.
//
// fork(): the child process has no workers. A Runtime made before fork() must not be used in the child, which ends
// the process with a message; its destruction there does nothing, and a new one may be made. fork() followed by exec()
// is always safe.
#pragma once

#include <cstdint>

#include "weir/detail/run_time_footprint.hpp"
#include "weir/error.hpp"
#include "weir/items.hpp"  // IWYU pragma: export
#include "weir/options.hpp"
#include "weir/task.hpp"
#include "weir/tier_statistics.hpp"

namespace weir {

// Counters since the runtime was made, summed over its workers. Exact when no task is running.
struct Statistics {
  // By anyone; children of tasks, stolen halves of fork_join() and Weir's own (folds) included.
  std::uint64_t tasks_run = 0;
  std::uint64_t tasks_cancelled = 0;
  std::uint64_t steals = 0;  // successful, each of one task or more
  std::uint64_t tasks_stolen = 0;
  std::uint64_t far_steals = 0;          // steals from another domain
  std::uint64_t parks = 0;               // times a worker went to sleep
  std::uint64_t exceptions_dropped = 0;  // thrown by tasks after the first of their scope
};

class Runtime {
 public:
  // Starts options.workers - 1 threads. Throws weir::Error when an option cannot be satisfied: more workers than
  // Runtime::kMaxWorkers, a machine description with an error, a thread that cannot be started.
  // Any number of runtimes may exist in a process at a time; threads of one know nothing of the others. WEIR_TRACE is
  // also obeyed when the options were not read from the environment and name no trace.
  explicit Runtime(const Options& options = Options::from_environment());

  // Waits for all tasks, then stops the workers. Called on the thread that made the runtime, or on any once that thread
  // has ended, outside of the runtime's tasks, and while no other thread uses it; in one of its tasks, or on another
  // thread, the process ends with a message. An exception that no wait() took is reported on standard error, and so are
  // blocks that are left: they are empty from then on. What thread_local objects of the workers' threads spawn when
  // they are destroyed runs then, too, on the calling thread.
  ~Runtime();

  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  static constexpr int kMaxWorkers = 1024;

  // Threads of the program that have used a runtime and have not ended, in addition to its workers: for one more the
  // functions here throw weir::Error. The place of a thread that has ended is used again, also where it has left tasks:
  // when no other is free, the next thread first waits for these, runs them, and reports on standard error what they
  // have failed with, which no wait() can throw any more.
  static constexpr int kMaxThreads = 1024;

  // spawn(footprint and attributes..., callable): makes a task and returns its handle.
  //
  // The callable is moved into the task. It takes no argument, or one per footprint item in their order: T& for an
  // object, std::span<T> for a range, View2D<T> for a section of a watched array, T& to the private copy for a
  // reduction; one that could take either, a variadic one, gets those of the items. The handle gives what it returns.
  // Among the items, ranges of any number of them may stand, as a std::vector<weir::Access>: the callable takes one
  // weir::Items for each (items.hpp). They are copied, and cost up to 10 ns a task more than the same items by name.
  // May run other tasks before it returns when the scope has many unfinished children; more than options.throttle of
  // them there are only while none can end before this thread spawns more, as far as that shows
  // (docs/tuning/sched.md#throttle). Any thread, in or outside of tasks. Throws std::bad_alloc, what copying the
  // identity of a reduction throws, and weir::Error for a domain that does not exist and a weir::Region whose rows
  // overlap; then the task does not run, and is destroyed when those it would come after have ended. Budget: 30 ns for
  // an empty task without a footprint, on one worker.
  template <class... Arguments>
  auto spawn(Arguments&&... arguments);

  // Waits until all tasks spawned by the calling task, or by the calling thread outside of tasks, have ended; runs
  // tasks while it waits, which see nothing of exceptions that the caller handles. Throws the scope's first exception,
  // once. Tasks that other threads have spawned outside of tasks are those threads' to wait for: see wait_all().
  void wait();

  // Waits until all tasks that have been spawned before have ended, whichever thread spawned them; runs tasks
  // while it waits. Throws as wait() does, for the calling thread's own tasks; exceptions of the others' are theirs. A
  // reduction that another thread has spawned tasks of is combined when that thread waits, or names its object. Outside
  // of tasks; throws weir::Error in one. Cost: a look at every task there is.
  void wait_all();

  // Waits until that task has ended; runs tasks while it waits. Throws the scope's first exception when the calling
  // scope has one, and leaves it there for wait(). A thread that waits runs other tasks on top, so a task must not wait
  // for one that may be waiting itself, but for its own children: that ends the process with a message where it is
  // seen, and hangs where it is not. Use after().
  template <class R>
  void wait(const Handle<R>& handle) {
    detail::wait_for(detail::HandleAccess::ref(handle));
  }

  // wait(), and then writes a checkpoint to the folder that options.checkpoint names; without one, wait() alone. On the
  // thread that made the runtime, outside of tasks; throws weir::Error elsewhere, and where the program has what a
  // checkpoint cannot hold (keep.hpp, docs/checkpoint.md). A checkpoint that cannot be written is reported on standard
  // error, and the run goes on with the one before.
  void checkpoint();
  // Whether the program has not come yet to where options.restart goes on: its tasks are skipped, and blocks have no
  // contents. False in a runtime before the one that the checkpoint is of.
  bool is_restarting() const noexcept;

  // Threads that run tasks, worker 0 included.
  int worker_count() const noexcept;
  // Groups of workers that share a NUMA node; 1 on a machine without NUMA.
  int domain_count() const noexcept;
  // The scheduling counters; any thread.
  Statistics statistics() const noexcept;
  // What blocks have cost (block.hpp), and what their tiers hold. Asks the kernel where pages are: milliseconds; any
  // thread.
  TierStatistics tier_statistics() const;

 private:
  friend struct detail::RuntimeAccess;
  // With tiers on memory that a layer above provides (src/runtime/tier_source.hpp); null: as above.
  Runtime(const Options& options, const detail::TierSource* tiers);
  struct State;  // src/runtime/runtime_state.hpp
  State* state_;
};

// The same for the runtime that the calling thread works for: inside a task, or on the thread that made the runtime
// or has used it last. Throw weir::Error on a thread that has none.
template <class... Arguments>
auto spawn(Arguments&&... arguments);
void wait();
void wait_all();
template <class R>
void wait(const Handle<R>& handle) {
  detail::wait_for(detail::HandleAccess::ref(handle));
}

// The index of the worker that runs the calling task, in [0, worker_count()), a thread of the program that helps while
// it waits having one beyond; -1 on a thread without a runtime. The domain of that worker, or -1.
int current_worker() noexcept;
int current_domain() noexcept;

namespace detail {

// spawn() with the callable last among the arguments and, again, first: `function` is arguments' last element.
template <class F, class... Arguments>
WEIR_INLINE auto spawn_task(Runtime* runtime, F&& function, const Arguments&... arguments) {
  using Function = std::decay_t<F>;
  static_assert(!kIsItem<Function> && !kIsAttribute<Function>,
                "the callable comes last, behind footprint and attributes");
  static_assert(((kIsItem<Arguments> || kIsAttribute<Arguments> || kIsItemRange<Arguments>)&&...),
                "before the callable come items, as in(x) or out(x), ranges of weir::Access, and attributes; "
                "of a handle h: after(h), and of a range of handles");
  using S = SpawnTraits<Function, ItemsOf<Arguments...>>;
  using R = typename S::Result;
  using C = Closure<Function, R, typename S::ArgumentTuple>;
  static_assert(
      alignof(C) <= kMaxAlignment,
      "the callable, or what it captures, is aligned to more than the 64 bytes that a task gives it: capture a "
      "pointer or a reference to that");
  constexpr std::size_t kAfter = (std::size_t{std::is_same_v<Arguments, After>} + ... + 0);
  constexpr bool kHasAttributes = ((kIsAttribute<Arguments> && !kIsNothing<Arguments>) || ...);
  constexpr bool kAtRunTime = S::kHasRanges || (kIsAfterRange<Arguments> || ...);

  using Footprint =
      std::conditional_t<kAtRunTime, RunTimeFootprint<S::kItems, S::kHasRanges>, Collected<S::kItems, kAfter>>;
  Footprint collected(arguments...);
  NewTask fresh;
  if constexpr (kAtRunTime) {
    fresh = new_task(runtime, collected.shape(sizeof(C)));
  } else {
    fresh = new_task(runtime, Footprint::template kShape<C>);
  }
  PendingTask pending{fresh.task};
  [[maybe_unused]] ResultOwner<R> result;  // the handle's share, until there is a handle
  [[maybe_unused]] typename C::Cell cell{};
  if constexpr (!std::is_void_v<R>) cell = result.cell = new ResultCell<R>;
  ::new (fresh.closure) C(std::forward<F>(function), cell, collected.source(fresh.closure, sizeof(C)));
  pending.task = nullptr;
  if constexpr (!std::is_void_v<R>) cell->retain();  // the task's
  using Forms = InvokeOf<Function, R, typename S::ArgumentTuple, S::kBlocks>;
  const InvokeFunction invoke = collected.template invoke<C, Forms>();
  const Attributes* const attributes = kHasAttributes ? &collected.attributes : nullptr;
  TaskRef ref;
  if constexpr (S::kBlocks) {
    ref = submit_block_task(fresh.task, invoke, collected.footprint(), attributes);
  } else if constexpr (S::kItems == 0 && !kHasAttributes) {
    ref = submit_task(fresh.task, invoke);
  } else if (S::kHasRanges && collected.has_blocks()) {
    ref = submit_block_task(fresh.task, invoke, collected.footprint(), attributes);
  } else {
    ref = submit_task(fresh.task, invoke, collected.footprint(), attributes);
  }
  if constexpr (std::is_void_v<R>)
    return HandleAccess::make(ref);
  else
    return HandleAccess::make(ref, std::exchange(result.cell, nullptr));
}

// Moves the last argument, the callable, to the front.
template <std::size_t... I, class All>
WEIR_INLINE auto spawn_all(Runtime* runtime, std::index_sequence<I...>, All all) {
  return detail::spawn_task(runtime, detail::take<sizeof...(I)>(all), detail::at<I>(all)...);
}

template <class... Arguments>
WEIR_INLINE auto spawn_in(Runtime* runtime, Arguments&&... arguments) {
  static_assert(sizeof...(Arguments) != 0, "spawn() needs a callable, after the footprint and the attributes");
  return detail::spawn_all(runtime, std::make_index_sequence<sizeof...(Arguments) - 1>{},
                           Pack<Arguments&&...>{{std::forward<Arguments>(arguments)}...});
}
// The same of few arguments, as most spawns have: a pack of its own takes time to compile.
template <class F>
WEIR_INLINE auto spawn_in(Runtime* runtime, F&& function) {
  return detail::spawn_task(runtime, std::forward<F>(function));
}
template <class A, class F>
WEIR_INLINE auto spawn_in(Runtime* runtime, A&& a, F&& function) {
  return detail::spawn_task(runtime, std::forward<F>(function), a);
}
template <class A, class B, class F>
WEIR_INLINE auto spawn_in(Runtime* runtime, A&& a, B&& b, F&& function) {
  return detail::spawn_task(runtime, std::forward<F>(function), a, b);
}
template <class A, class B, class C, class F>
WEIR_INLINE auto spawn_in(Runtime* runtime, A&& a, B&& b, C&& c, F&& function) {
  return detail::spawn_task(runtime, std::forward<F>(function), a, b, c);
}
template <class A, class B, class C, class D, class F>
WEIR_INLINE auto spawn_in(Runtime* runtime, A&& a, B&& b, C&& c, D&& d, F&& function) {
  return detail::spawn_task(runtime, std::forward<F>(function), a, b, c, d);
}

}  // namespace detail

template <class... Arguments>
WEIR_INLINE auto Runtime::spawn(Arguments&&... arguments) {
  return detail::spawn_in(this, std::forward<Arguments>(arguments)...);
}

template <class... Arguments>
WEIR_INLINE auto spawn(Arguments&&... arguments) {
  return detail::spawn_in(nullptr, std::forward<Arguments>(arguments)...);
}

}  // namespace weir
