// SPDX-License-Identifier: Apache-2.0

// Task: what a worker runs, and its place in the graph of tasks.
//
// A task is made, and its memory later used again, by one worker only, its owner (task_heap.hpp). In between it is
// referred to by the queue it sits in, by the edges of its predecessors, and by weak TaskRefs. Life:
//   new (only the owner knows it) -> pending (missing > 0) -> ready (in a queue) -> running -> ended -> free
// Protocol of the successor list and the join counter: docs/protocols/edges.md.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/layout.hpp"
#include "base/shown.hpp"
#include "sched/policy/placement.hpp"
#include "weir/detail/spawn.hpp"
#include "weir/task.hpp"

namespace weir::sched {

class Scope;
class Waiter;
class Worker;
struct Task;
struct TaskExtra;
class TaskHooks;

using detail::Invoke;
using detail::InvokeFunction;
using detail::TaskRef;

// One dependence, linked into the predecessor's list. It lies in the predecessor's memory where there is room: the
// worker that ends the predecessor then finds all successors without touching theirs. Else with the successor, or with
// the waiter. `target` is a Task*, or a Waiter* with the low bit set, or a gate (gate.hpp), or a relay (relay.hpp).
struct Edge {
  std::uintptr_t target;
  Edge* next;
};

// Of a task: 47 on x86-64, 48 on arm64. The heap checks.
inline constexpr int kAddressBits = 48;

// The list of successors as one word: the newest edge's address, the low bit alone once the task has ended, and in
// the upper 16 bits a tag from the generation, so that an edge is never added to a later use of the memory.
class SuccessorList {
 public:
  // EDGE-2: release, since a tag that has changed tells, too, that the task has ended.
  void reset(std::uint64_t generation) noexcept { word_.store(tag_of(generation), std::memory_order_release); }

  // False when the task has ended (or its memory is used for another): the edge was not added. Where others may use the
  // memory meanwhile the caller compares the generation when the edge is there, and has `added` acquire (EDGE-6).
  bool try_add(Edge* edge, std::uint64_t generation, std::memory_order added = std::memory_order_release) noexcept {
    std::uint64_t word = word_.load(std::memory_order_acquire);  // EDGE-2
    for (;;) {
      if (((word & kClosed) != 0) || ((word ^ tag_of(generation)) >> kTagShift) != 0) return false;
      edge->next = pointer(word);
      // EDGE-1: release publishes the edge to close(); acquire lets a refused caller see the task's writes.
      if (word_.compare_exchange_weak(word, reinterpret_cast<std::uintptr_t>(edge) | tag_of(generation), added,
                                      std::memory_order_acquire)) {
        return true;
      }
    }
  }

  // The task has ended: no edge can be added any more. Returns the edges, newest first. Called once.
  Edge* close() noexcept {
    // EDGE-2: release publishes what the task wrote to the thread that finds the list closed. EDGE-1: acquire, for the
    // edges.
    const std::uint64_t tag = word_.load(std::memory_order_relaxed) & kTagMask;
    return pointer(word_.exchange(tag | kClosed, std::memory_order_acq_rel));
  }

  // Whether there is an edge so far: as newest(), without its address. Relaxed: a hint, close() finds those that are
  // missed.
  bool has_edges() const noexcept { return word_.load(std::memory_order_relaxed) << (64 - kTagShift) != 0; }
  // The newest edge so far. The worker that runs the task may read it, and those before it: none goes away before
  // close().
  const Edge* newest() const noexcept { return pointer(word_.load(std::memory_order_acquire)); }  // EDGE-1

  // The task of that generation has ended. One load answers for both, closed and used again: between two loads the
  // memory could go from the one to the other.
  [[gnu::always_inline]] bool closed(std::uint64_t generation) const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_acquire);  // EDGE-2
    return ((word ^ tag_of(generation)) & (kTagMask | kClosed)) != 0;
  }

 private:
  static constexpr std::uint64_t kClosed = 1;
  static constexpr int kTagShift = kAddressBits;
  static constexpr std::uint64_t kTagMask = ~std::uint64_t{0} << kTagShift;
  static std::uint64_t tag_of(std::uint64_t generation) noexcept { return generation << kTagShift; }
  static Edge* pointer(std::uint64_t word) noexcept {
    return reinterpret_cast<Edge*>(static_cast<std::uintptr_t>(word & ~kTagMask & ~kClosed));
  }

  std::atomic<std::uint64_t> word_{0};  // adders: any thread; closed by the worker that ran the task
};

// How many predecessors have not ended, and by whom most of the others were run: a task is best run where its data is.
//
// One word: the count, and a running majority vote over workers (policy/placement.hpp), a candidate and its lead.
class Arrivals {
 public:
  static constexpr std::uint32_t kMost = (std::uint32_t{1} << 20) - 1;  // predecessors

  // Before the first arrival. Relaxed: the first edge is linked after it, with release (EDGE-1).
  void expect(std::uint32_t count) noexcept { word_.store(count, std::memory_order_relaxed); }
  // How many are, as long as nobody adds any. Relaxed: a task that arrives meanwhile makes it fewer.
  std::uint32_t missing() const noexcept { return word_.load(std::memory_order_relaxed) & kMost; }
  // One more; not before the first arrival only, but while another one is known to be missing.
  // Relaxed: the arrivals that follow are of the same word.
  void expect_another() noexcept { word_.fetch_add(1, std::memory_order_relaxed); }

  // EDGE-3: a predecessor that `worker` ran has ended. How many have not: none for exactly one caller, the last; that
  // caller makes the task ready. Acquire and release chain the writes of all predecessors to it.
  [[nodiscard]] std::uint32_t arrive(int worker) noexcept {
    std::uint32_t word = word_.load(std::memory_order_acquire);
    for (;;) {
      const std::uint32_t missing = (word & kMost) - 1;
      if (missing == 0) return 0;  // no other arrives any more, so nothing need be written
      if (word_.compare_exchange_weak(word, vote(word, worker) - 1, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        return missing;
      }
    }
  }
  // `count` of them need not be waited for. True when they were the last.
  [[nodiscard]] bool arrive_unrun(std::uint32_t count) noexcept {
    return (word_.fetch_sub(count, std::memory_order_acq_rel) & kMost) == count;
  }

  // After the last arrival, made by `worker`: who ran most of the predecessors, `worker` where there is no majority.
  // Relaxed: that arrival has acquired it (EDGE-3), and nobody writes it any more.
  int home(int worker) const noexcept {
    return static_cast<int>(
        policy::home_of(votes_in(word_.load(std::memory_order_relaxed)), static_cast<std::uint32_t>(worker)));
  }

 private:
  static constexpr int kCandidateShift = 20;
  static constexpr int kLeadShift = 29;
  static_assert(policy::kVoters == 1u << (kLeadShift - kCandidateShift) && policy::kMostLead == 7);

  static policy::HomeVote votes_in(std::uint32_t word) noexcept {
    return {(word >> kCandidateShift) & (policy::kVoters - 1), word >> kLeadShift};
  }
  static std::uint32_t vote(std::uint32_t word, int worker) noexcept {
    const policy::HomeVote votes = policy::vote(votes_in(word), static_cast<std::uint32_t>(worker));
    return (word & kMost) | votes.candidate << kCandidateShift | votes.lead << kLeadShift;
  }

  std::atomic<std::uint32_t> word_;
};

// One word for what most tasks have none of: a name alone, that of an urgent task, or a TaskExtra with all there is;
// and whether the task is prompt, or held. So most tasks that Weir makes for itself need no TaskExtra either.
//
// A held task is ready when its predecessors have ended and it was released: EDGE-5, docs/protocols/edges.md. Until
// then let_go() may change the word under those who read it, all of whom it tells the same of the rest.
class TaskNote {
 public:
  TaskNote() = default;
  explicit TaskNote(const char* name) noexcept : word_(reinterpret_cast<std::intptr_t>(name) | kPlain) {}
  explicit TaskNote(TaskExtra* extra) noexcept : word_(reinterpret_cast<std::intptr_t>(extra)) {}
  TaskNote(const TaskNote& other) noexcept : word_(other.word()) {}
  TaskNote& operator=(const TaskNote& other) noexcept {
    word_.store(other.word(), std::memory_order_release);  // SHOWN-1
    return *this;
  }
  void clear() noexcept { word_.store(0, std::memory_order_release); }  // SHOWN-1
  // Of an urgent task that has nothing but a name, one of Weir's own, or null.
  static TaskNote urgent(const char* name) noexcept {
    return TaskNote(reinterpret_cast<std::intptr_t>(name) | kUrgent);
  }

  explicit operator bool() const noexcept { return word() != 0; }
  // Nothing but a name, or nothing.
  bool is_plain() const noexcept { return word() <= 0; }
  TaskExtra* extra() const noexcept { return extra_of(word()); }
  TaskHooks* hooks() const noexcept;
  const char* name() const noexcept { return name_of(word()); }  // null when it has none
  policy::Wishes wishes() const noexcept;
  // For a thread that looks at a task that is not its own: all there is in the extra that is Shown.
  TaskNote seen() const noexcept { return TaskNote(word_.load(std::memory_order_acquire)); }  // SHOWN-1

  // Runs at once, on the thread that makes it ready, where that runs tasks.
  bool is_prompt() const noexcept { return (flags_of(word()) & kPrompt) != 0; }
  // Any thread that keeps the task from ending.
  bool is_held() const noexcept { return holds() != 0; }
  // All predecessors have ended. Whoever is to release it.
  bool is_only_held() const noexcept { return holds() == kHold; }
  // Once for the predecessors, once by who releases it: true for the second, who makes the task ready.
  [[nodiscard]] bool let_go() noexcept {
    return (word_.fetch_sub(kHold, std::memory_order_acq_rel) & kHolds) == kHold;  // EDGE-5
  }

  // ---- The spawner, before the task is submitted; not of a plain one ----
  void make_prompt() noexcept { *this = TaskNote(word() | kPrompt); }
  void hold() noexcept { *this = TaskNote(word() | 2 * kHold); }
  // In the place of what it has of it now.
  void set_extra(TaskExtra* extra) noexcept {
    *this = TaskNote(reinterpret_cast<std::intptr_t>(extra) | flags_of(word()));
  }

 private:
  // {kPlain, address of a name}, {kUrgent, flags, address of a name or 0}, or {flags, address of a TaskExtra}; 0: none.
  // The name of a plain task is the program's, and may be at any address; no user address has the top bit.
  static constexpr std::intptr_t kPlain = INTPTR_MIN;
  static constexpr std::intptr_t kUrgent = std::intptr_t{1} << 62;
  static constexpr std::intptr_t kHold = std::intptr_t{1} << kAddressBits, kHolds = 3 * kHold, kPrompt = 4 * kHold;
  static constexpr std::intptr_t kAddress = kHold - 1;

  explicit TaskNote(std::intptr_t word) noexcept : word_(word) {}
  // Relaxed: whoever holds the task, and what others may change meanwhile is not asked for by it.
  std::intptr_t word() const noexcept { return word_.load(std::memory_order_relaxed); }
  std::intptr_t holds() const noexcept { return flags_of(word_.load(std::memory_order_acquire)) & kHolds; }  // EDGE-5
  static std::intptr_t flags_of(std::intptr_t word) noexcept { return word > 0 ? word & (kHolds | kPrompt) : 0; }
  static TaskExtra* extra_of(std::intptr_t word) noexcept {
    return word > 0 && (word & kUrgent) == 0 ? reinterpret_cast<TaskExtra*>(word & kAddress) : nullptr;
  }
  static const char* name_of(std::intptr_t word) noexcept;

  std::atomic<std::intptr_t> word_{0};  // spawner; who ends the last predecessor, and who releases
};

struct alignas(base::kDestructiveSize) Task {
  // Written by the owner before the task is published, read by the worker that runs it, and by observers.
  base::Shown<InvokeFunction> invoke;  // of a closure behind the header
  // Where the program spawned it, an address of its code; null: Weir's own. Or what who gave it `invoke` knows it by.
  base::Shown<const void*> site;
  base::Shown<Scope*> scope;  // of the parent: what this task is a child of
  TaskNote note;              // its name, or what few tasks have
  Task* next;                 // written by what holds the task: link in a queue or a free list

  // Written by many.
  std::atomic<std::uint64_t> generation;  // owner, when the memory is used again; read by holders of a TaskRef
  SuccessorList successors;
  union {
    Arrivals arrivals{};   // of its predecessors
    std::uint32_t number;  // of memory for tasks that have none: what its owner gave it, for good
  };
  std::uint16_t heap;       // index of the owner's TaskHeap
  std::uint8_t size_class;  // of the memory, see TaskHeap
  std::uint8_t edge_room;   // owner only: edges that its memory still has room for, at its end

  // Owner only. A place for an edge at this task, or null when there is none left.
  Edge* take_edge() noexcept {
    if (edge_room == 0) return nullptr;
    auto* const end = reinterpret_cast<std::byte*>(this) + detail::kSlotBytes[size_class];
    return reinterpret_cast<Edge*>(end) - edge_room--;
  }

  void* closure() noexcept { return this + 1; }

  // Relaxed: for those who know that this use of the memory lasts.
  TaskRef ref() noexcept { return {this, generation.load(std::memory_order_relaxed)}; }
};
static_assert(sizeof(Task) == base::kDestructiveSize, "the header is one cache line");
static_assert(sizeof(Task) == detail::kTaskHeaderBytes && sizeof(Edge) == detail::kEdgeBytes);

// By which a trace means that use of the memory: a program that uses a slot eight million times uses it again. Never 0.
inline std::uint64_t trace_id(TaskRef ref) noexcept {
  // Not |: the two share a bit where addresses have 48, which is the same for all tasks of a program there.
  return (reinterpret_cast<std::uintptr_t>(ref.task) / alignof(Task)) ^ ref.generation << 41;
}

// For a task that cannot end in the meantime; null: 0.
inline std::uint64_t trace_id_of(Task* task) noexcept { return task == nullptr ? 0 : trace_id(task->ref()); }

// True when that use of the memory has ended. Any thread. EDGE-2: a changed generation carries what the task wrote.
inline bool has_ended(TaskRef ref) noexcept {
  return ref.task == nullptr || ref.task->successors.closed(ref.generation) ||
         ref.task->generation.load(std::memory_order_acquire) != ref.generation;
}

// Of which class of a layer above an object is that this layer knows by its base. Whoever casts down compares first.
enum class HooksKind : std::uint8_t { other, task_data };  // task_data: runtime::TaskData
enum class ScopeKind : std::uint8_t { other, spawn };      // spawn: runtime::SpawnScope

// A hook for what must happen around a task beside running its closure: blocks in place, exclusion locks, private
// copies. Implemented above this layer (src/runtime). One object per task; the task owns it.
class TaskHooks {
 public:
  explicit TaskHooks(HooksKind kind = HooksKind::other) noexcept : kind_(kind) {}
  virtual ~TaskHooks() = default;
  TaskHooks(const TaskHooks&) = delete;
  TaskHooks& operator=(const TaskHooks&) = delete;
  HooksKind kind() const noexcept { return kind_; }
  // Nothing but what the hooks stand for is missing. False: more is; Scheduler::submit() follows when it is there.
  virtual bool on_ready(Worker& worker, Task& task) noexcept = 0;
  // Before the closure runs. False: the task cannot run now; what makes it possible queues it again.
  virtual bool try_begin(Worker& worker, Task& task) noexcept = 0;
  // After the closure has run and all children have ended, before successors are told.
  virtual void end(Worker& worker, Task& task) noexcept = 0;

 private:
  const HooksKind kind_;
};

struct EdgeChunk {
  static constexpr std::uint32_t kEdges = 30;
  Edge edge[kEdges];
  std::uint32_t used = 0;
  EdgeChunk* next = nullptr;
};

// What few tasks have. Allocated with new by the spawner, deleted when the task is freed.
struct TaskExtra {
  base::Shown<const char*> name = nullptr;
  int domain = -1;  // wanted domain, -1: none
  Priority priority = Priority::normal;
  base::Shown<TaskHooks*> hooks = nullptr;  // owned
  EdgeChunk* edges = nullptr;     // owned, for edges from predecessors that have no room elsewhere; newest first
  Task* join = nullptr;           // of a node that is not sealed: is not either, and stands for what it cannot count
  void* large_closure = nullptr;  // owned memory of a closure that does not fit
  std::uint64_t held_since = 0;   // of a held task in a traced run: all that it comes after had ended
  TaskExtra() = default;
  TaskExtra(const TaskExtra&) = delete;
  TaskExtra& operator=(const TaskExtra&) = delete;
  ~TaskExtra();

  // Room for one more edge; it stays where it is. The spawner only. Throws std::bad_alloc.
  Edge& add_edge();
};

// The task's, which gets one when it has none. Its spawner, before it is submitted. Throws std::bad_alloc.
TaskExtra& extra_of(Task& task);

inline const char* TaskNote::name_of(std::intptr_t word) noexcept {
  if (word < 0) return reinterpret_cast<const char*>(word & ~kPlain);
  if ((word & kUrgent) != 0) return reinterpret_cast<const char*>(word & kAddress);
  return word > 0 ? static_cast<const char*>(extra_of(word)->name) : nullptr;
}
inline TaskHooks* TaskNote::hooks() const noexcept {
  const TaskExtra* const with = extra();
  return with == nullptr ? nullptr : with->hooks.get();
}
inline policy::Wishes TaskNote::wishes() const noexcept {
  if (const TaskExtra* const with = extra()) return {with->priority, with->domain};
  return {is_plain() ? Priority::normal : Priority::urgent, -1};
}

}  // namespace weir::sched
