// SPDX-License-Identifier: Apache-2.0

// Memory for the tasks that one worker makes: slots of a few sizes, cut from slabs, used again last in, first out.
//
// Only the owner allocates. Whoever ends a task frees it: the owner into its own list, others into a FreeBatch that
// they push to the owner's ReturnStack. Slots keep their size and their generation for ever, and
// slabs live as long as the heap, so that a stale TaskRef may always be looked at. docs/protocols/heap.md
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "platform/prefetch.hpp"
#include "sched/return_stack.hpp"
#include "sched/task.hpp"

namespace weir::sched {

class TaskHeap;

// Ended tasks of one heap, on their way home. An array, not a list through the tasks: the owner can then fetch all of
// them from the other core's cache at once, and knows of what size they are without a look at them.
struct alignas(base::kDestructiveSize) FreeBatch {
  static constexpr std::uint32_t kTasks = 61;
  FreeBatch* next = nullptr;
  TaskHeap* from = nullptr;  // where it goes back to when it is empty; null: nowhere
  std::uint32_t count = 0;
  std::uintptr_t item[kTasks];  // address of a task | its size class

  // Not of a full one.
  void add(Task& task) noexcept { item[count++] = reinterpret_cast<std::uintptr_t>(&task) | task.size_class; }
  static Task* task_of(std::uintptr_t item) noexcept { return reinterpret_cast<Task*>(item & ~kClassMask); }
  static std::size_t class_of(std::uintptr_t item) noexcept { return item & kClassMask; }

 private:
  static constexpr std::uintptr_t kClassMask = alignof(Task) - 1;
};

class TaskHeap {
 public:
  static constexpr std::size_t kClasses = detail::kSlotSizes;

  // Generations of its tasks start above `first_generation`, whose upper bits so mark all of them.
  TaskHeap(std::uint16_t index, std::uint64_t first_generation) noexcept
      : index_(index), first_generation_(first_generation) {}
  ~TaskHeap();
  TaskHeap(const TaskHeap&) = delete;
  TaskHeap& operator=(const TaskHeap&) = delete;

  // Owner only. A task of `scope` with a new generation and no successors, in detail::kSlotBytes[c] bytes.
  // Throws std::bad_alloc. Budget: 3 loads, 5 stores, 1 branch; 4 loads more and 3 branches for one that comes back.
  Task* allocate(std::size_t c, Scope* scope) {
    Task* const task = take(c, scope);
    open(*task);
    return task;
  }
  // The same in two steps: what is written in between is seen by a thread that closes a gate of the task.
  Task* take(std::size_t c, Scope* scope) {
    Task* task = at_hand(c);
    if (task == nullptr) [[unlikely]]
      task = refill(c);
    begin_use(*task, scope);
    return task;
  }
  // As allocate(), without a call. Null: none is at hand.
  Task* try_allocate(std::size_t c, Scope* scope) noexcept {
    Task* const task = at_hand(c);
    if (task != nullptr) [[likely]]
      task->successors.reset(begin_use(*task, scope));  // GATE-2
    return task;
  }
  static void open(Task& task) noexcept {
    task.successors.reset(task.generation.load(std::memory_order_relaxed));  // GATE-2
  }

  // Owner only. The task has ended, nothing but stale TaskRefs points to it.
  void free(Task* task) noexcept {
    task->next = free_[task->size_class];
    free_[task->size_class] = task;
  }

  // Any thread: ended tasks of this heap. Takes the batch over.
  void free_remote(FreeBatch* batch) noexcept { remote_.push(batch); }
  // Owner only. To be filled with tasks of another heap. Throws std::bad_alloc.
  FreeBatch* empty_batch() {
    if (FreeBatch* const batch = empty_.pop()) return batch;
    return new FreeBatch{nullptr, this, 0, {}};
  }

  std::uint16_t index() const noexcept { return index_; }

  // Any thread. Calls f(Task&) for every slot that there is, in use or not; those never used have the generation
  // that the heap started with.
  template <class F>
  void for_each_slot(F&& f) const {
    for (const Slab* slab = slabs_.load(std::memory_order_acquire); slab != nullptr; slab = slab->older) {  // HEAP-2
      for (std::size_t offset = 0; offset < slab->bytes; offset += slab->slot_bytes)
        f(*reinterpret_cast<Task*>(slab->memory + offset));
    }
  }
  std::uint64_t first_generation() const noexcept { return first_generation_; }

 private:
  Task* at_hand(std::size_t c) noexcept {
    Task* const task = free_[c];
    if (task != nullptr) {
      free_[c] = task->next;
      return task;
    }
    return returned_ != end_ && FreeBatch::class_of(*returned_) == c ? next_returned() : nullptr;
  }
  // The new generation.
  static std::uint64_t begin_use(Task& task, Scope* scope) noexcept {
    const std::uint64_t generation = task.generation.load(std::memory_order_relaxed) + 1;
    // EDGE-2: release, as that of the list: a changed generation tells has_ended() that the last use has ended.
    task.generation.store(generation, std::memory_order_release);
    task.scope = scope;
    task.note.clear();
    task.edge_room = 0;
    return generation;
  }

  struct Slab {
    std::byte* memory;
    std::size_t bytes, slot_bytes;
    Slab* older;
  };

  // Of the tasks that come back next, so many are asked for: what is made until then takes as long as a line from a far
  // core.
  static constexpr std::ptrdiff_t kAhead = 24;

  [[gnu::noinline]] Task* refill(std::size_t c);
  // There is one. Into the next batch, too: without, each batch would begin with a wait.
  Task* next_returned() noexcept {
    const std::ptrdiff_t left = end_ - returned_;
    if (kAhead < left)
      ask_for(returned_[kAhead]);
    else if (next_ != nullptr && kAhead - left < next_->count)
      ask_for(next_->item[kAhead - left]);
    return FreeBatch::task_of(*returned_++);
  }
  static void ask_for(std::uintptr_t item) noexcept {
    const Task* const task = FreeBatch::task_of(item);
    platform::prefetch_to_write(task);
    if (FreeBatch::class_of(item) != 0) platform::prefetch_to_write(task + 1);
  }
  bool start_batch() noexcept;
  void add_slab(std::size_t c);

  // Owner.
  std::array<Task*, kClasses> free_{};
  std::array<std::size_t, kClasses> next_slab_bytes_{};
  FreeBatch* batch_ = nullptr;  // from remote_, and what is left of it
  const std::uintptr_t *returned_ = nullptr, *end_ = nullptr;
  const FreeBatch* next_ = nullptr;    // the one that comes next; null: not known yet
  std::atomic<Slab*> slabs_{nullptr};  // newest first; HEAP-2: release by the owner, acquire by observers
  std::uint16_t index_;
  std::uint64_t first_generation_;

  ReturnStack<FreeBatch> remote_;  // tasks of this heap that ended elsewhere
  ReturnStack<FreeBatch> empty_;   // batches that this heap has filled
};

}  // namespace weir::sched
