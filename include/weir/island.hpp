// SPDX-License-Identifier: Apache-2.0

// Islands: tasks on processes that share memory, but no coherent caches.
//
// A Master forks worker processes and gives them tasks. It runs the program and finds the order of the tasks from their
// footprints; a worker makes what its task reads fresh, runs it, and writes back what it wrote. So programs run where
// the hardware keeps no caches coherent: chips without coherence, memory that hosts share over CXL. The model is that
// of BDDT-SCC (Labrineas, Task-parallel Runtime for the Single-chip Cloud Computer, University of Crete, 2013).
//
//   weir::island::Master master;
//   double* x = master.allocate<double>(n);
//   master.spawn(weir::out(x, n), [](std::span<double> s) { std::ranges::fill(s, 1.0); });
//   master.wait();  // x is there
//
// What differs from weir::Runtime:
// - All data of footprints is memory of allocate(). The program itself may touch it before it spawns tasks that name
// it,
//   and again after wait(). Nothing else that a task writes is seen by anyone: a process has its own globals.
// - Caches work in lines, so footprints are rounded to lines of 64 bytes: tasks that write parts of one line wait for
//   each other. A watched array must have blocks of whole lines.
// - Modes in, out, inout; commutative is treated as inout. No line has two writers, so a task with concurrent or reduce
//   items works on a private copy, which its argument names, and which the master merges when the task has ended: of
//   concurrent the bytes that it changed; two that ran at the same time must not change the same ones.
// - The callable is copied byte by byte: it captures values, and pointers to memory of allocate(), nothing that owns.
//   It returns nothing. A task makes tasks with weir::island::spawn().
//
// A callable is found by the build id of its program or library and its place in that: what is loaded later (dlopen) by
// one process cannot be run in those that have not loaded it. The processes are made by fork() in the constructor: make
// the Master before other threads. In a child that the program forks itself the functions of a Master throw, and its
// end leaves the workers alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/detail/containers.hpp"
#include "weir/error.hpp"
#include "weir/footprint.hpp"
#include "weir/island_parts.hpp"
#include "weir/options.hpp"
#include "weir/task.hpp"

namespace weir::island {

namespace detail {

using Invoke = void (*)(void* function, const Access* footprint);

// A callable, as bytes, and what calls it in the worker.
struct Callable {
  Invoke invoke;
  const void* function;
  std::size_t bytes;
};
inline constexpr std::size_t kMaxAlignment = 64;

}  // namespace detail

// What a worker process did since the master was made.
struct WorkerStatistics {
  std::uint64_t tasks = 0;
  double running_s = 0;  // in the tasks' functions
  double staging_s = 0;  // making lines fresh before a task, and writing them back after it
  double idle_s = 0;     // without a task
};

struct WEIR_HAS_CONTAINERS Statistics {
  std::uint64_t tasks_run = 0;        // to their end, or until they threw
  std::uint64_t tasks_cancelled = 0;  // since another one failed
  std::uint64_t tasks_rerun = 0;      // given to another worker as theirs had died (MasterOptions::retries)
  std::uint64_t tasks_shared = 0;     // run by another worker than they were given to (MasterOptions::shares)
  std::uint64_t bytes_staged = 0;     // of footprints: made fresh, written back, or both
  double master_idle_s = 0;           // in spawn() or wait() without anything to do for the workers
  std::vector<WorkerStatistics> workers;
  WorkerStatistics master;  // what it ran itself (MasterOptions::runs_when); not its idle time
};

// What only a master has to know.
struct MasterOptions {
  // How often a task runs again when the worker that had it has died; 0: the death is an error. The master then saves
  // what a task reads and writes before it gives it away.
  int retries = 0;
  // Where the program waits, the master itself runs a ready task when each worker has so many, 1 to 8; 0: never.
  int runs_when = 0;
  // A worker that has run out of tasks asks others for those that they have been given and have not begun.
  bool shares = false;
  // How many of the workers are programs of their own that attach to options.island_segment by its name, as attach()
  // does, rather than forked; the constructor waits for them.
  int attached = 0;
};

// This process is a worker of the master that has this memory (options.island_segment), until the master ends: waits
// for it at most a minute, and then runs its tasks. The master's tasks must be of the same programs or libraries, by
// build id; globals are the process's own. Throws weir::Error when there is no such master, it has all its workers, its
// addresses are taken here, or it is gone.
void attach(const std::string& segment);

// The master process's side. Used by the thread that made it only; within a task all of it throws weir::Error.
class Master {
 public:
  // In a process that `weir run --islands` has started as a worker this does what attach() does, and then ends the
  // process. Forks options.workers processes; 0: one for each core of this process but one. Used of the options are
  // workers, bind, park_after, throttle, trace, explain and those of islands. Throws weir::Error when one cannot be
  // satisfied.
  explicit Master(const Options& options = Options::from_environment(), const MasterOptions& own = {});
  // Waits for all tasks and ends the workers. A failure that no wait() took is reported on standard error.
  ~Master();
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  // Memory that tasks share, for `count` objects of T, all bytes zero, whole lines. It lasts until free(), at most as
  // long as the master. Throws weir::Error when options.island_heap is used up.
  template <class T>
  T* allocate(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                  "lines of cache carry bytes: no object that owns something");
    static_assert(alignof(T) <= detail::kMaxAlignment);
    if (count > ~std::size_t{0} / sizeof(T)) refuse_count(count, sizeof(T));
    return static_cast<T*>(allocate_bytes(count * sizeof(T)));
  }
  // As allocate(), `parts` ranges of `count` objects each: part i begins on memory node, or behind controller, i modulo
  // their number (options.island_nodes, island_controllers). Parts are whole lines, and there is padding between them,
  // so that data that is smaller than a stripe is spread, too. One node: they lie one behind the other. free(data()).
  template <class T>
  Parts<T> allocate_parts(std::size_t parts, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                  "lines of cache carry bytes: no object that owns something");
    static_assert(alignof(T) <= detail::kMaxAlignment);
    if (count > ~std::size_t{0} / sizeof(T)) refuse_count(count, sizeof(T));
    const auto [data, layout] = allocate_parts_bytes(parts, count * sizeof(T));
    return {data, layout, parts, count};
  }
  // Of allocate(); null is nothing. No unfinished task names it.
  void free(void* memory);

  // spawn(footprint and name()..., callable): makes a task. The callable takes no argument, or one per footprint item,
  // as for Runtime::spawn(). Waits when there are options.throttle unfinished tasks.
  // Throws weir::Error for memory that is not of one piece of allocate(), or was freed, for blocks of parts of lines,
  // within a task, and when a worker has died.
  template <class... Arguments>
  void spawn(Arguments&&... arguments);

  // Waits until all tasks have ended; the program then sees what they wrote. Throws weir::Error when a task threw, with
  // the first one's text; those that had not begun then are cancelled. Throws when a worker has died, with what it ran.
  void wait();

  int worker_count() const;
  // Exact after wait().
  Statistics statistics() const;

 private:
  struct State;  // src/island/master.hpp

  State& state(const char* called) const;
  [[noreturn]] static void refuse_count(std::size_t count, std::size_t bytes);
  void* allocate_bytes(std::size_t bytes);
  std::pair<void*, detail::PartsLayout> allocate_parts_bytes(std::size_t parts, std::size_t bytes);
  void submit(const detail::Callable& callable, std::span<const Access> footprint, const char* name);

  std::unique_ptr<State> state_;
  const std::uint32_t forks_;  // how many lay between the first process and the one that made it
};

namespace detail {

// What the callable gets for an item: from its region alone, as a watched array is known to the master's process only.
template <class Item>
decltype(auto) argument_of(const Access& access, const Item*) noexcept {
  return Item::argument(Item::value_of(access));
}
template <class T, Mode M>
View2D<T> argument_of(const Access& access, const weir::detail::TileItem<T, M>*) noexcept {
  const Region& r = access.region;
  return {weir::detail::base_of<T>(access), r.rows, r.row_bytes / sizeof(T), r.stride_bytes / sizeof(T)};
}

template <class T>
T& argument_of(const Access& access, const weir::detail::ReduceItem<T>*) noexcept {
  return *weir::detail::base_of<T>(access);
}

// One that takes any number of arguments gets those of the items.
template <class F, class... Items>
inline constexpr bool kTakesItems = sizeof...(Items) != 0 && requires(F& function, const Access& access) {
  function(detail::argument_of(access, static_cast<const Items*>(nullptr))...);
};

// Runs in the worker: `function` is a copy of the callable's bytes, `footprint` the items in their order.
template <class F, class List>
struct InvokeOnIsland;
template <class F, class... Items>
struct InvokeOnIsland<F, weir::detail::List<Items...>> {
  static void invoke(void* function, const Access* footprint) {
    F& call = *static_cast<F*>(function);
    if constexpr (std::is_invocable_v<F&> && !kTakesItems<F, Items...>) {
      call();
    } else {
      call_with(call, footprint, std::index_sequence_for<Items...>{});
    }
  }
  template <std::size_t... I>
  static void call_with(F& call, const Access* footprint, std::index_sequence<I...>) {
    call(detail::argument_of(footprint[I], static_cast<const Items*>(nullptr))...);
  }
};

// Items of which the task has a private copy.
template <class Item>
inline constexpr bool kIsPrivate = false;
template <class T>
inline constexpr bool kIsPrivate<weir::detail::ObjectItem<T, Mode::concurrent>> = true;
template <class T>
inline constexpr bool kIsPrivate<weir::detail::RangeItem<T, Mode::concurrent>> = true;
template <class T>
inline constexpr bool kIsPrivate<weir::detail::TileItem<T, Mode::concurrent>> = true;
template <class T>
inline constexpr bool kIsPrivate<weir::detail::ReduceItem<T>> = true;

// Whether an item's bytes are all there is to it.
template <class Item>
inline constexpr bool kIsBytes = true;
template <class T>
inline constexpr bool kIsBytes<weir::detail::ReduceItem<T>> =
    std::is_trivially_copyable_v<T>&& std::is_trivially_destructible_v<T> && alignof(T) <= kMaxAlignment;

template <class T>
inline constexpr bool kIsName = std::is_same_v<T, weir::detail::Name>;

}  // namespace detail

namespace detail {

// Calls submit(callable, footprint, name) for what spawn() was given.
template <class Submit, class F, class... Arguments>
WEIR_INLINE void make_task(const Submit& submit, const F& function, const Arguments&... arguments) {
  static_assert(((weir::detail::kIsItem<Arguments> || kIsName<Arguments>)&&...),
                "before the callable come footprint items, as in(x, n) or out(section), and name()");
  static_assert((!weir::detail::kIsBlock<Arguments> && ...),
                "islands have no blocks that move: name memory of Master::allocate()");
  static_assert((kIsBytes<Arguments> && ...),
                "a reduction's copies are lines of cache, which carry bytes: no object that owns something");
  static_assert(!(std::is_invocable_v<F&> && (kIsPrivate<Arguments> || ...)),
                "a task with concurrent or reduce items works on private copies on islands: it must take them as "
                "arguments");
  // Not is_trivially_copyable: GCC 12 has that wrong for closures once a tuple has held a reference to them.
  static_assert(std::is_trivially_copy_constructible_v<F> && std::is_trivially_destructible_v<F>,
                "a callable goes to another process byte by byte: it captures values and pointers to memory of "
                "Master::allocate(), nothing that owns");
  static_assert(alignof(F) <= kMaxAlignment);
  using Traits = weir::detail::SpawnTraits<F, weir::detail::ItemsOf<Arguments...>>;
  static_assert(std::is_void_v<typename Traits::Result>, "a task returns nothing: it writes to its footprint");
  const weir::detail::Collected<Traits::kItems, 0> collected(arguments...);
  submit(Callable{&InvokeOnIsland<F, weir::detail::ItemsOf<Arguments...>>::invoke, &function, sizeof(F)},
         collected.footprint(), collected.attributes.name);
}

// Moves the last argument, the callable, to the front.
template <class Submit, std::size_t... I, class All>
WEIR_INLINE void make_task_of(const Submit& submit, std::index_sequence<I...>, const All& all) {
  detail::make_task(submit, weir::detail::at<sizeof...(I)>(all), weir::detail::at<I>(all)...);
}

void submit_child(const Callable& callable, std::span<const Access> footprint, const char* name);

}  // namespace detail

template <class... Arguments>
WEIR_INLINE void Master::spawn(Arguments&&... arguments) {
  static_assert(sizeof...(Arguments) != 0, "spawn() needs a callable, after the footprint and the name");
  const auto to_master = [this](const detail::Callable& callable, std::span<const Access> footprint, const char* name) {
    submit(callable, footprint, name);
  };
  detail::make_task_of(to_master, std::make_index_sequence<sizeof...(Arguments) - 1>{},
                       weir::detail::Pack<Arguments&...>{{arguments}...});
}

// Within a task on an island: spawn(footprint and name()..., callable) makes a task, as Master::spawn() does, whose
// footprint lies within that of the task that makes it. Children are ordered among themselves, by their footprints;
// they begin when the function of their parent has ended, and what waits for the parent waits for them. What a task
// makes that then throws is not run. concurrent and reduce items have private copies, as above; of what the parent has
// a private copy of, a child names that copy, the parent's argument. Throws weir::Error for a footprint that reaches
// further, or writes what the parent only reads, and outside of such a task.
template <class... Arguments>
WEIR_INLINE void spawn(Arguments&&... arguments) {
  static_assert(sizeof...(Arguments) != 0, "spawn() needs a callable, after the footprint and the name");
  detail::make_task_of(&detail::submit_child, std::make_index_sequence<sizeof...(Arguments) - 1>{},
                       weir::detail::Pack<Arguments&...>{{arguments}...});
}

}  // namespace weir::island
