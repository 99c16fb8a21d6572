// SPDX-License-Identifier: Apache-2.0

// The machinery between the templates of the public API and the library: not for programs to use directly.
//
// spawn() copies the callable into a task that the library allocates, collects footprint and attributes in an array
// on the stack, and hands both over in one call. Nothing here allocates, but for the result of a task that returns one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "weir/detail/pack.hpp"
#include "weir/detail/prefetch.hpp"
#include "weir/footprint.hpp"

// As inline, and obeyed by compilers that optimize nothing.
#define WEIR_INLINE [[gnu::always_inline]] inline

namespace weir {
class Runtime;
enum class Priority : std::uint8_t;
template <class R>
class Handle;
class Items;
}  // namespace weir

namespace weir::sched {
struct Task;  // src/sched/task.hpp
}

namespace weir::detail {

using sched::Task;
struct HandleAccess;
struct RuntimeAccess;
struct TierSource;

// A task and the use of its memory that is meant; a task whose memory was used again has finished.
struct TaskRef {
  Task* task = nullptr;
  std::uint64_t generation = 0;
};

struct Name {
  const char* text;
};
struct OnDomain {
  int index;
};
inline constexpr int kNoSuchDomain = -0x7fffffff - 1;  // in place of -1
struct After {
  TaskRef task;
};
// In place of an attribute that only a layer above knows.
struct Nothing {};
template <class R>
struct AfterRange {
  std::span<const Handle<R>> handles;
};

// When a task that waits for no other begins; the last two are for the layers of the library
// (src/runtime/held_task.hpp).
enum class Begin : std::uint8_t { queued, at_once, released };

struct Attributes {
  const char* name = nullptr;
  int domain = -1;  // none
  Priority priority{};
  Begin begin{};
  const TaskRef* after = nullptr;
  std::uint32_t after_count = 0;
};

// Whether the closure is to be run and destroyed, or only destroyed (the task was cancelled); or, of a task of spawn(),
// looked at: then `closure` is a KeptFootprint*, and the thread that reads it keeps the task's memory from being used
// again.
enum class Invoke : std::uint8_t { run, destroy, describe };
using InvokeFunction = void (*)(void* closure, Task* self, Invoke what);

// What a task keeps of its footprint, so that reports of what it waits for can name the data.
struct KeptFootprint {
  static constexpr std::size_t kMost = 64;
  const void* closure = nullptr;  // of the task that is asked
  bool known = false;             // the rest says what its footprint is
  std::size_t count = 0;          // items, the first kMost
  Access items[kMost];            // sections of watched arrays without their stride

  void add(const Access& item) noexcept {
    if (count < kMost) items[count++] = item;
  }
};

struct NewTask {
  Task* task;
  void* closure;  // aligned to kMaxAlignment; behind the task's header unless it is large
};
inline constexpr std::size_t kMaxAlignment = 64;

// Where in its memory a task keeps what: a header of one cache line, the closure, then room for edges to its
// successors. Known when spawn() is compiled, unless it is given ranges of items.
struct TaskShape {
  std::uint8_t slot = 0;         // index into kSlotBytes
  bool large = false;            // the closure has memory of its own
  std::uint16_t edge_count = 0;  // that fit, at the end
  std::uint32_t closure_bytes = 0;
};
inline constexpr std::size_t kTaskHeaderBytes = 64;
inline constexpr std::size_t kEdgeBytes = 16;
inline constexpr std::size_t kSlotBytes[] = {64, 128, 192, 256, 512, 1024};  // the first: a header alone
inline constexpr std::size_t kSlotSizes = sizeof(kSlotBytes) / sizeof(kSlotBytes[0]);

// `large`: whether the closure fits or not.
constexpr TaskShape shape_of(std::size_t closure_bytes, std::size_t accesses, bool large = false) noexcept {
  // As many successors as most tasks with this number of accesses have; further ones are kept elsewhere.
  const std::size_t edges = (accesses == 2 || accesses == 3 ? accesses + 1 : accesses) * kEdgeBytes;
  const std::size_t closure = (closure_bytes + kEdgeBytes - 1) / kEdgeBytes * kEdgeBytes;
  TaskShape shape;
  shape.closure_bytes = static_cast<std::uint32_t>(closure_bytes);
  shape.large = large || kTaskHeaderBytes + closure + edges > kSlotBytes[kSlotSizes - 1];
  const std::size_t used = kTaskHeaderBytes + (shape.large ? 0 : closure);
  const std::size_t least = used + edges < kSlotBytes[kSlotSizes - 1] ? used + edges : kSlotBytes[kSlotSizes - 1];
  while (kSlotBytes[shape.slot] < least) ++shape.slot;
  shape.edge_count = static_cast<std::uint16_t>((kSlotBytes[shape.slot] - used) / kEdgeBytes);
  return shape;
}

// The library's side. `runtime` null: the runtime whose task, or whose spawning, the calling thread is in.
NewTask new_task(Runtime* runtime, const TaskShape& shape);
// Where submit_task() and submit_block_task() return to is kept as the place that spawned the task. So what lies
// between them and the program's own function is WEIR_INLINE, also where nothing is optimized.
TaskRef submit_task(Task* task, InvokeFunction invoke);  // neither footprint nor attributes
TaskRef submit_task(Task* task, InvokeFunction invoke, std::span<const Access> footprint, const Attributes* attributes);
// The same when some items of the footprint are blocks.
TaskRef submit_block_task(Task* task, InvokeFunction invoke, std::span<const Access> footprint,
                          const Attributes* attributes);
// The callable of a task with blocks has returned, or was destroyed and has not run.
void leave_blocks(Task* self, bool ran) noexcept;
// Of a task whose shape is large.
void* large_closure(Task* task) noexcept;
void abandon_task(Task* task) noexcept;  // between new_task and submit_task only: making the closure failed
bool is_finished(TaskRef task) noexcept;
void wait_for(TaskRef task);
// The private copy of the index-th reduction of the running task. Throws what copying the identity throws.
void* reduction_copy(Task* self, std::uint32_t index);
// `failure`: what the task has thrown, if it has.
[[noreturn]] void throw_no_result(bool is_task, const std::exception_ptr& failure);

// Where a task that returns a value leaves it, or what it throws. Shared by the task and its handles.
template <class R>
class ResultCell {
 public:
  void retain() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  template <class... A>
  void emplace(A&&... value) {
    ::new (static_cast<void*>(&storage_)) R(std::forward<A>(value)...);
    full_ = true;
  }
  void fail(std::exception_ptr failure) noexcept { failure_ = std::move(failure); }
  const std::exception_ptr& failure() const noexcept { return failure_; }
  R* value() noexcept { return full_ ? std::launder(reinterpret_cast<R*>(&storage_)) : nullptr; }
  ~ResultCell() {
    if (R* v = value()) v->~R();
  }

 private:
  std::atomic<std::uint32_t> owners_{1};
  bool full_ = false;  // this and the rest: written by the task before it finishes, read after waiting for it
  std::exception_ptr failure_;
  alignas(R) std::byte storage_[sizeof(R)];
};

// Gives up the share that spawn() holds when it throws.
template <class R>
struct ResultOwner {
  ResultCell<R>* cell = nullptr;
  ~ResultOwner() {
    if (cell != nullptr) cell->release();
  }
};
template <>
struct ResultOwner<void> {};

template <class R>
R& result_or_throw(ResultCell<R>* cell) {
  R* value = cell != nullptr ? cell->value() : nullptr;
  if (value == nullptr) throw_no_result(cell != nullptr, cell != nullptr ? cell->failure() : nullptr);
  return *value;
}

template <class T>
inline constexpr bool kIsItem = std::is_base_of_v<ItemTag, std::remove_cvref_t<T>>;
template <class T>
inline constexpr bool kIsReduce = false;
template <class T>
inline constexpr bool kIsReduce<ReduceItem<T>> = true;
template <class T>
inline constexpr bool kIsBlock = false;  // an item of block.hpp or array.hpp: it has a place only while the task runs
template <class T>
inline constexpr bool kIsAfterRange = false;
template <class R>
inline constexpr bool kIsAfterRange<AfterRange<R>> = true;
template <class T>
inline constexpr bool kIsNothing = std::is_same_v<T, Nothing>;
template <class T>
inline constexpr bool kIsAttribute =
    std::is_same_v<T, Name> || std::is_same_v<T, OnDomain> || std::is_same_v<T, After> || std::is_same_v<T, Priority> ||
    std::is_same_v<T, Begin> || kIsNothing<T> || kIsAfterRange<T>;

template <class T>
inline constexpr bool kIsOutput = false;  // an item that says that the task writes, and where
template <class T, Mode M>
inline constexpr bool kIsOutput<ObjectItem<T, M>> = writes(M);
template <class T, Mode M>
inline constexpr bool kIsOutput<RangeItem<T, M>> = writes(M);

// Ranges of items whose number is known at run time.
template <class T>
concept AccessRange = std::is_convertible_v<const T&, std::span<const Access>>;
template <class T>
constexpr bool is_item_range() noexcept {
  if constexpr (kIsItem<T> || kIsAttribute<T>) {
    return false;
  } else {
    return AccessRange<T>;
  }
}
template <class T>
inline constexpr bool kIsItemRange = is_item_range<T>();
struct ItemRange {};  // stands for one of them among the types of items

// What of an item travels with the task, so that the callable can be given its argument, and the item be named.
template <class Item>
struct Argument {
  typename Item::Value value;
  explicit Argument(const Access& access) noexcept {
    if constexpr (std::is_pointer_v<typename Item::Value>) {
      // By itself: compilers make one wide store of it and of what the callable captures, which costs a spawn more.
      __atomic_store_n(&value, Item::value_of(access), __ATOMIC_RELAXED);
    } else {
      value = Item::value_of(access);
    }
  }
  decltype(auto) get(Task*, std::uint32_t&) const noexcept { return Item::argument(value); }
  Access access() const noexcept { return Item::access_of(value); }
  const void* start() const noexcept { return access().region.base; }
};
template <class T>
struct Argument<ReduceItem<T>> {
  T* target;  // the private copies are folded into it
  explicit Argument(const Access& access) noexcept : target(base_of<T>(access)) {}
  Access access() const noexcept { return {{target, sizeof(T), 1, 0}, nullptr, nullptr, nullptr, Mode::reduce}; }
  T& get(Task* self, std::uint32_t& next) const { return *static_cast<T*>(reduction_copy(self, next++)); }
};

// Of a range of items: the callable gets what items.hpp has.
template <>
struct Argument<ItemRange>;

// std::is_invocable, which takes longer to compile.
template <class F>
inline constexpr bool kTakesNothing = requires(F& function) {
  function();
};

template <class Item>
using ArgumentOf = decltype(std::declval<const Argument<Item>&>().get(nullptr, std::declval<std::uint32_t&>()));

// Whether the callable gets no arguments. One that takes any number, or has defaults for all, gets those of the items.
template <class F, class... Items>
inline constexpr bool kGetsNothing =
    kTakesNothing<F> &&
    !(sizeof...(Items) != 0 && requires(F & function) { function(std::declval<ArgumentOf<Items>>()...); });

// What a pointer to a member is applied to: an object, or what a pointer, a smart pointer or a std::reference_wrapper
// refers to.
template <class C, class T, class M>
decltype(auto) object_of(M C::*, T&& value) {
  if constexpr (std::is_base_of_v<C, std::remove_cvref_t<T>>) {
    return std::forward<T>(value);
  } else if constexpr (requires { static_cast<const volatile C&>(value.get()); }) {
    return value.get();
  } else {
    return *std::forward<T>(value);
  }
}

// Calls it with these, as std::invoke(), whose header takes time to compile.
template <class F, class First, class... Rest>
decltype(auto) call_with(F& function, First&& first, Rest&&... rest) {
  if constexpr (std::is_member_object_pointer_v<F>) {
    return (detail::object_of(function, std::forward<First>(first)).*function);
  } else if constexpr (std::is_member_function_pointer_v<F>) {
    return (detail::object_of(function, std::forward<First>(first)).*function)(std::forward<Rest>(rest)...);
  } else {
    return function(std::forward<First>(first), std::forward<Rest>(rest)...);
  }
}

// Made of a source: an array of accesses, one for each item, or what RunTimeFootprint has for items and ranges.
// `Places` numbers the items, and is an std::index_sequence.
template <class Places, class... Items>
struct ArgumentsOf;
template <std::size_t... I, class... Items>
struct ArgumentsOf<std::index_sequence<I...>, Items...> {
  static constexpr bool kHasRanges = (std::is_same_v<Items, ItemRange> || ...);
  template <class F>
  static constexpr bool kUnusedBy = kGetsNothing<F, Items...>;

  Pack<Argument<Items>...> each;
  template <class Source>
  explicit ArgumentsOf(const Source& source) noexcept : each{{Argument<Items>(source[I])}...} {}
  void describe(KeptFootprint& kept) const noexcept {
    kept.known = true;
    (add<Items>(kept, detail::at<I>(each)), ...);
  }
  // With what the callable gets of each item.
  template <class F>
  decltype(auto) call(F& function, Task* self) const {
    std::uint32_t next_reduction = 0;
    if constexpr ((kIsReduce<Items> || ...) || std::is_member_pointer_v<F>) {
      // Braces fix the order from left to right, which numbers the reductions.
      Pack<ArgumentOf<Items>...> values{{detail::at<I>(each).get(self, next_reduction)}...};
      return detail::call_with(function, detail::take<I>(values)...);
    } else {
      return function(detail::at<I>(each).get(self, next_reduction)...);
    }
  }
  // What stands there was mostly read by other cores since it was written: the line comes while the callable begins.
  void ask_for_outputs() const noexcept { (ask_for_output<Items>(detail::at<I>(each)), ...); }
  // Whether a range has some; of the other items the type says it.
  bool has_blocks_in_ranges() const noexcept {
    if constexpr (kHasRanges) {
      return (has_blocks<Items>(detail::at<I>(each)) || ...);
    } else {
      return false;
    }
  }

 private:
  template <class Item>
  static void ask_for_output(const Argument<Item>& argument) noexcept {
    if constexpr (kIsOutput<Item>) prefetch_to_write(argument.start());
  }
  template <class Item>
  static void add(KeptFootprint& kept, const Argument<Item>& argument) noexcept {
    if constexpr (std::is_same_v<Item, ItemRange>) {
      argument.describe(kept);
    } else {
      kept.add(argument.access());
    }
  }
  template <class Item>
  static bool has_blocks(const Argument<Item>& argument) noexcept {
    if constexpr (std::is_same_v<Item, ItemRange>) {
      return argument.kept.has_blocks;
    } else {
      return false;
    }
  }
};
template <class... Items>
using Arguments = ArgumentsOf<std::index_sequence_for<Items...>, Items...>;
struct NoArguments {
  template <class F>
  static constexpr bool kUnusedBy = true;
  NoArguments() = default;
  explicit NoArguments(const Access*) noexcept {}
  static void describe(KeptFootprint& kept) noexcept { kept.known = true; }
  static constexpr bool has_blocks_in_ranges() noexcept { return false; }
  static void ask_for_outputs() noexcept {}
};

// What a task carries: the callable, the cell for its result unless R is void, and its footprint items, of which the
// callable's arguments are made when it takes some. Empty parts take no space.
template <class F, class R, class ArgumentList>
struct Closure {
  using Cell = std::conditional_t<std::is_void_v<R>, NoArguments, ResultCell<R>*>;

  template <class Callable, class Source>
  Closure(Callable&& f, Cell c, const Source& source)
      : function(std::forward<Callable>(f)), cell(c), arguments(source) {}

  F function;
  [[no_unique_address]] Cell cell;
  [[no_unique_address]] ArgumentList arguments;
};

template <class F, class R, class ArgumentList, bool kBlocks, bool kLarge>
struct InvokeClosure {
  using C = Closure<F, R, ArgumentList>;

  struct Guard {
    C* closure;
    Task* self;
    bool run;
    ~Guard() {
      if constexpr (!std::is_void_v<R>) closure->cell->release();
      const bool blocks = kBlocks || closure->arguments.has_blocks_in_ranges();
      closure->~C();
      if (blocks) leave_blocks(self, run);
    }
  };

  // One function: each that it would be cut into is compiled for each callable.
  static void invoke(void* memory, Task* self, Invoke what) {
    KeptFootprint* asked = nullptr;
    if (what != Invoke::run) [[unlikely]] {
      if (what == Invoke::describe) {
        asked = static_cast<KeptFootprint*>(memory);
        memory = const_cast<void*>(asked->closure);
      }
    }
    if constexpr (kLarge) memory = large_closure(self);
    C* const closure = std::launder(static_cast<C*>(memory));
    if (what != Invoke::run) [[unlikely]] {
      if (asked != nullptr) return closure->arguments.describe(*asked);
      const Guard guard{closure, self, false};
      return;
    }
    const Guard guard{closure, self, true};
    closure->arguments.ask_for_outputs();
    if constexpr (!std::is_void_v<R>) {
      try {
        if constexpr (ArgumentList::template kUnusedBy<F>) {
          closure->cell->emplace(closure->function());
        } else {
          closure->cell->emplace(closure->arguments.call(closure->function, self));
        }
      } catch (...) {
        closure->cell->fail(std::current_exception());
        throw;
      }
    } else if constexpr (ArgumentList::template kUnusedBy<F>) {
      static_cast<void>(closure->function());
    } else {
      static_cast<void>(closure->arguments.call(closure->function, self));
    }
  }
};

template <class F, class R, class ArgumentList, bool kBlocks>
struct InvokeOf {
  template <bool kLarge>
  static constexpr InvokeFunction kFunction = &InvokeClosure<F, R, ArgumentList, kBlocks, kLarge>::invoke;
};

template <class F, class... Items>
struct CallTraits {
  static constexpr bool kPlain = kGetsNothing<F, Items...>;
  static constexpr bool kWithArguments = !kPlain && std::is_invocable_v<F&, ArgumentOf<Items>...>;
  static_assert(kPlain || kWithArguments,
                "the callable must take no argument, or one per footprint item, const T where that is read only: T&, "
                "std::span<T>, View2D<T> or View3D<T>; weir::Items for a range of items");
  static_assert(!(kPlain && (kIsReduce<Items> || ...)),
                "a task with a reduction must take its private copy as an argument");
  static auto result() {
    if constexpr (kPlain)
      return std::type_identity<std::decay_t<decltype(std::declval<F&>()())>>{};
    else
      return std::type_identity<std::decay_t<std::invoke_result_t<F&, ArgumentOf<Items>...>>>{};
  }
  using Result = typename decltype(result())::type;
};

// Field by field: a copy of the whole would load in other widths than the item was just stored in, and wait.
WEIR_INLINE void copy_access(const Access& from, void* to) noexcept {
  const Region& r = from.region;
  ::new (to) Access{{r.base, r.row_bytes, r.rows, r.stride_bytes},
                    from.partition,
                    from.reduction,
                    from.identity,
                    from.mode,
                    from.ordered,
                    from.storage};
}

// Sorts the arguments of spawn() into footprint and attributes.
template <std::size_t kItems, std::size_t kAfter>
struct Collected {
  union {
    Access accesses[kItems == 0 ? 1 : kItems];  // made one by one, not cleared first
  };
  TaskRef after[kAfter == 0 ? 1 : kAfter];
  Attributes attributes;
  std::uint32_t items = 0;

  WEIR_INLINE explicit Collected(const auto&... arguments) noexcept {
    (add(arguments), ...);
    if constexpr (kAfter != 0) attributes.after = after;
  }

  template <class C>
  static constexpr TaskShape kShape = shape_of(sizeof(C), kItems);
  // Of what a closure makes its arguments.
  const Access* source(void*, std::size_t) const noexcept { return accesses; }
  template <class C, class Invoke>
  static constexpr InvokeFunction invoke() noexcept {
    return Invoke::template kFunction<kShape<C>.large>;
  }
  std::span<const Access> footprint() const noexcept { return {accesses, kItems}; }
  static constexpr bool has_blocks() noexcept { return false; }  // but for items whose type says so

 private:
  void add(const Name& name) noexcept { attributes.name = name.text; }
  void add(const OnDomain& on) noexcept { attributes.domain = on.index; }
  void add(Priority priority) noexcept { attributes.priority = priority; }
  void add(Begin begin) noexcept { attributes.begin = begin; }
  void add(Nothing) noexcept {}
  void add(const After& a) noexcept { after[attributes.after_count++] = a.task; }
  template <class Item>
  requires kIsItem<Item>
  void add(const Item& item) noexcept { copy_access(item.access, &accesses[items++]); }
};

// The footprint items among the arguments of spawn(), without the rest.
template <class... T>
struct List {};
template <class... A, class... B>
List<A..., B...> operator+(List<A...>, List<B...>);
template <class T>
using ItemList = std::conditional_t<kIsItem<T>, List<std::remove_cvref_t<T>>,
                                    std::conditional_t<kIsItemRange<T>, List<ItemRange>, List<>>>;
template <class... Arguments>
using ItemsOf = decltype((ItemList<Arguments>{} + ... + List<>{}));

template <class F, class List>
struct SpawnTraits;
template <class F, class... Items>
struct SpawnTraits<F, List<Items...>> {
  using Traits = CallTraits<F, Items...>;
  using Result = typename Traits::Result;
  static constexpr std::size_t kItems = sizeof...(Items);                        // a range is one
  static constexpr bool kHasRanges = (std::is_same_v<Items, ItemRange> || ...);  // of which there are as many as come
  static constexpr bool kBlocks = (kIsBlock<Items> || ...);                      // some item is a block by its type
  using ArgumentTuple = std::conditional_t<kItems != 0, Arguments<Items...>, NoArguments>;
};

// Gives back what spawn() holds when copying the callable throws.
struct PendingTask {
  Task* task;
  ~PendingTask() {
    if (task != nullptr) abandon_task(task);
  }
};

}  // namespace weir::detail
