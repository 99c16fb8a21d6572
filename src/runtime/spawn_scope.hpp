// SPDX-License-Identifier: Apache-2.0

// SpawnScope: a scope whose children have footprints. It is the Graph that the dependence analysis draws in.
//
// Used by the thread that runs the parent only, but for what sched::Scope lets others do. Edges to the task being
// spawned are collected, then linked together in one go, so that the task may start the moment the last is linked.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "base/check.hpp"
#include "deps/block_map.hpp"
#include "sched/scope.hpp"
#include "sched/worker.hpp"

namespace weir::runtime {

// What a front end has still to do for a task of its own whose function has returned before all of its children had
// ended: the end of the task, as that front end has it.
class LateEnd {
 public:
  virtual ~LateEnd() = default;
  // They have. On the worker that ended the last of them, in whatever that runs. `failure`: what they have failed with,
  // or null; it may be taken, else the scope that the task is in fails. The scope, made with new, that the task waits
  // for in addition; null: it ends now.
  virtual sched::Scope* children_ended(std::exception_ptr& failure) noexcept = 0;
};

class SpawnScope final : public sched::Scope {
 public:
  SpawnScope(sched::Worker& owner, sched::Task* parent);
  ~SpawnScope() override;

  // What a frame has of children: a scope of this class while the task's function runs, or null.
  static SpawnScope* of(sched::Scope* scope) noexcept {
    WEIR_CHECK(scope == nullptr || scope->kind() == sched::ScopeKind::spawn,
               "a task has a scope that is not of spawn()");
    return static_cast<SpawnScope*>(scope);
  }
  // That of a task which is being spawned: new_task() has put it there.
  static SpawnScope& spawning(const sched::Task& task) noexcept {
    WEIR_ASSERT(task.scope->kind() == sched::ScopeKind::spawn, "a task is submitted that spawn() did not make");
    return static_cast<SpawnScope&>(*task.scope);
  }

  // Links `task`, otherwise ready to go, behind the siblings its footprint conflicts with and the tasks it is to come
  // after, and submits it when there are none.
  void submit(sched::Task& task, std::span<const Access> footprint, std::span<const detail::TaskRef> after);
  // The same, part of the caller: for what every spawn goes through.
  void submit_here(sched::Task& task, std::span<const Access> footprint, std::span<const detail::TaskRef> after);

  // Of a task of another front end, whose function returns now.
  void end_by(std::unique_ptr<LateEnd> late) noexcept { late_ = std::move(late); }

  void before_wait() noexcept override;
  sched::Scope* close(std::exception_ptr& failure) noexcept override;
  std::int64_t before_throttle() noexcept override;
  enum class Keeps : std::uint8_t { what_is_small, nothing };
  // All children have ended. nothing: another thread takes the scope over.
  void forget_footprints(Keeps keeps = Keeps::what_is_small) noexcept;
  // What the last submit() found that the task comes after; some may have ended.
  std::span<const detail::TaskRef> predecessors() const noexcept { return {predecessors_.get(), predecessor_count_}; }

  // An empty task of Weir's own that comes after all children that have named this memory. Throws std::bad_alloc.
  detail::TaskRef spawn_behind(const Access& access);
  // A task of Weir's own among the children, which is ready when close_completion() was called, by any thread; and what
  // it is known by. `parent`: by its id in a trace. The thread that runs the parent. Throws std::bad_alloc.
  sched::Task& open_completion(std::uint64_t parent);
  void close_completion(sched::Task& node) noexcept;
  // How those who name memory are remembered (named_by.hpp): the runtime's number, and this scope.
  std::uint64_t mark() const noexcept { return mark_; }

  // ---- The Graph of deps::BlockMap ----
  void begin_watching(const Partition& partition);
  [[noreturn]] void cannot_name(const Access& access);
  bool add_edge(deps::NodeRef before, deps::NodeRef after);
  bool finished(deps::NodeRef ref) const noexcept { return sched::has_ended(task_ref(ref)); }
  deps::NodeRef make_join();
  void seal_join(deps::NodeRef node) noexcept;
  void* make_lock();
  void release_lock(void* lock) noexcept;
  void commutative(deps::NodeRef self, void* lock);
  deps::OpenedReduction open_reduction(const Access& access);
  void join_reduction(deps::NodeRef self, void* group);

 private:
  static detail::TaskRef task_ref(deps::NodeRef ref) noexcept {
    return {static_cast<sched::Task*>(ref.node), ref.generation};
  }
  static deps::NodeRef node_ref(sched::Task& task) noexcept {
    const detail::TaskRef ref = task.ref();
    return {ref.task, ref.generation};
  }
  [[gnu::always_inline]] void add_predecessor(detail::TaskRef ref) {
    if (predecessor_count_ == predecessor_room_) [[unlikely]]
      make_predecessor_room();
    predecessors_[predecessor_count_++] = ref;
  }
  // A function of its own, for in one `try` with the rest they cost tasks without any nine instructions.
  [[gnu::noinline]] void add_predecessors(sched::Task& task, std::span<const detail::TaskRef> all);
  [[gnu::noinline]] void make_predecessor_room();
  void link(sched::Task& task);
  // After what could be noted of it: it does not run.
  [[gnu::noinline, gnu::cold]] void end_refused(sched::Task& task);
  // Or one where its edge needs memory, or a relay.
  [[gnu::noinline]] void link_several(sched::Task& task);
  void fold_predecessors();
  // Room for an edge from `before` in the memory of the two, or null. That of `before` is written by its owner only, so
  // it must be of this thread's heap; it may have ended, then that is written for nothing. From another heap a relay is
  // needed.
  static sched::Edge* room_for_edge(sched::Task& before, sched::Task& task) noexcept {
    if (before.heap != task.heap) [[unlikely]]
      return nullptr;
    sched::Edge* edge = before.take_edge();
    if (edge == nullptr) [[unlikely]]
      edge = task.take_edge();
    return edge;
  }
  [[gnu::noinline]] bool link_or_wait(detail::TaskRef before, sched::Task& task);
  bool link_to_node(detail::TaskRef before, sched::Task& node);
  sched::Task& make_node(detail::InvokeFunction invoke);

  static constexpr std::size_t kPlaces = 64;
  static constexpr std::size_t kMostSeen = 256;
  static std::size_t place_of(detail::TaskRef ref) noexcept {
    return reinterpret_cast<std::uintptr_t>(ref.task) / (2 * alignof(sched::Task)) % kPlaces;
  }

  std::uint64_t mark_;
  std::atomic<std::int64_t> open_completions_{0};  // relaxed: a hint for the throttle
  std::unique_ptr<LateEnd> late_;
  std::unique_ptr<deps::BlockMap> map_;
  sched::Task* spawning_ = nullptr;    // during submit()
  std::size_t predecessor_count_ = 0;  // of spawning_
  std::size_t predecessor_room_ = 0;
  std::unique_ptr<detail::TaskRef[]> predecessors_;  // the first predecessor_count_; never shrinks
  // By place: where in predecessors_, counted from 1, one is that has it; 0: none. Cleared when they are linked. A
  // hint: an edge that comes twice does no harm.
  std::array<std::uint8_t, kPlaces> seen_{};
};

// That of what the worker, the calling thread's, runs: opened when it spawns for the first time.
inline SpawnScope& scope_of(sched::Worker& worker) {
  sched::Frame& frame = worker.frame();
  if (frame.children == nullptr) [[unlikely]]
    frame.children = new SpawnScope(worker, frame.task);
  return *SpawnScope::of(frame.children);
}

// ---- What every spawn with a footprint goes through ----

[[gnu::always_inline]] inline void SpawnScope::submit_here(sched::Task& task, std::span<const Access> footprint,
                                                           std::span<const detail::TaskRef> after) {
  spawning_ = &task;
  predecessor_count_ = 0;
  if (!after.empty()) add_predecessors(task, after);
  try {
    if (!footprint.empty()) {
      if (map_ == nullptr) [[unlikely]]
        map_ = std::make_unique<deps::BlockMap>();
      map_->analyse(*this, node_ref(task), footprint);
    }
  } catch (...) {  // no memory, or the copy of an identity: the map may know the task already, so it has to end
    end_refused(task);
    throw;
  }
  spawning_ = nullptr;
  link(task);
}

[[gnu::always_inline]] inline void SpawnScope::link(sched::Task& task) {
  if (predecessor_count_ == 0) return owner()->submit(&task);
  if (predecessor_count_ != 1) return link_several(task);
  const detail::TaskRef before = predecessors_[0];
  sched::Edge* const edge = room_for_edge(*before.task, task);
  if (edge == nullptr) [[unlikely]]
    return link_several(task);
  seen_[place_of(before)] = 0;
  edge->target = reinterpret_cast<std::uintptr_t>(&task);
  task.arrivals.expect(1);
  if (!before.task->successors.try_add(edge, before.generation)) owner()->submit(&task);
}

[[gnu::always_inline]] inline bool SpawnScope::add_edge(deps::NodeRef before, deps::NodeRef after) {
  const detail::TaskRef from = task_ref(before);
  if (after.node != spawning_) [[unlikely]]
    return link_to_node(from, *static_cast<sched::Task*>(after.node));
  // The same predecessor by way of several items.
  std::uint8_t& seen = seen_[place_of(from)];
  if (seen != 0 && seen <= predecessor_count_) {
    // The generation, too: an ended predecessor's memory may be that of a join made since.
    const detail::TaskRef& known = predecessors_[seen - 1];
    if (known.task == from.task && known.generation == from.generation) return true;
  }
  // Relaxed: the task is of this worker's heap, so it is this thread that has changed the generation; if it is the
  // same, closed() acquires (EDGE-2).
  if (from.task->generation.load(std::memory_order_relaxed) != from.generation ||
      from.task->successors.closed(from.generation)) {
    return false;
  }
  add_predecessor(from);
  seen = static_cast<std::uint8_t>(predecessor_count_ < kMostSeen ? predecessor_count_ : 0);
  return true;
}

}  // namespace weir::runtime
