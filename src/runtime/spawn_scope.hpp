// SPDX-License-Identifier: Apache-2.0

// SpawnScope: a scope whose children have footprints. It is the Graph that the dependence analysis draws in.
//
// Used by the thread that runs the parent only, but for what sched::Scope lets others do. Edges to the task being
// spawned are collected, then linked together in one go, so that the task may start the moment the last is linked.
#pragma once

#include <array>
#include <memory>

#include "deps/block_map.hpp"
#include "sched/scope.hpp"
#include "sched/worker.hpp"

namespace weir::runtime {

class SpawnHooks;

class SpawnScope final : public sched::Scope {
 public:
  SpawnScope(sched::Worker& owner, sched::Task* parent);
  ~SpawnScope() override;

  // Links `task`, otherwise ready to go, behind the siblings its footprint conflicts with and the tasks it is to come
  // after, and submits it when there are none.
  void submit(sched::Task& task, std::span<const Access> footprint, std::span<const detail::TaskRef> after);
  // The same, part of the caller: for what every spawn goes through.
  void submit_here(sched::Task& task, std::span<const Access> footprint, std::span<const detail::TaskRef> after);

  void before_wait() noexcept override;
  std::int64_t before_throttle() noexcept override;
  // All children have ended.
  void forget_footprints() noexcept;
  // What the last submit() found that the task comes after; some may have ended.
  std::span<const detail::TaskRef> predecessors() const noexcept { return {predecessors_.get(), predecessor_count_}; }

  // An empty task of Weir's own that comes after all children that have named this memory. Throws std::bad_alloc.
  detail::TaskRef spawn_behind(const Access& access);
  // How those who name memory are remembered (lifetime.hpp): the runtime's number, and this scope.
  std::uint64_t mark() const noexcept { return mark_; }

  // ---- The Graph of deps::BlockMap ----
  void begin_watching(const Partition& partition) noexcept;
  [[noreturn]] void section_outside(const Access& access) noexcept;
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
  [[gnu::noinline]] void make_predecessor_room();
  void link(sched::Task& task);
  [[gnu::noinline]] void link_several(sched::Task& task);
  void fold_predecessors();
  // Room for an edge from `before`. Its memory is written by its owner only, so it must be of this thread's heap; it
  // may have ended, then that is written in vain.
  sched::Edge& edge_between(sched::Task& before, sched::Task& task) {
    sched::Edge* edge = before.heap == task.heap ? before.take_edge() : nullptr;
    if (edge == nullptr) [[unlikely]]
      edge = task.take_edge();
    return edge != nullptr ? *edge : more_edge(task);
  }
  [[gnu::noinline]] static sched::Edge& more_edge(sched::Task& task);
  bool link_to_node(detail::TaskRef before, sched::Task& node);
  sched::Task& make_node(detail::InvokeFunction invoke);
  SpawnHooks& hooks();

  static constexpr std::size_t kPlaces = 64;
  static constexpr std::size_t kMostSeen = 256;
  static std::size_t place_of(detail::TaskRef ref) noexcept {
    return reinterpret_cast<std::uintptr_t>(ref.task) / (2 * alignof(sched::Task)) % kPlaces;
  }

  std::uint64_t mark_;
  std::unique_ptr<deps::BlockMap> map_;
  sched::Task* spawning_ = nullptr;    // during submit()
  std::size_t predecessor_count_ = 0;  // of spawning_
  std::size_t predecessor_room_ = 0;
  std::unique_ptr<detail::TaskRef[]> predecessors_;  // the first predecessor_count_; never shrinks
  // By place: where in predecessors_, counted from 1, one is that has it; 0: none. Cleared when they are linked. A
  // hint: an edge that comes twice does no harm.
  std::array<std::uint8_t, kPlaces> seen_{};
};

// ---- What every spawn with a footprint goes through ----

[[gnu::always_inline]] inline void SpawnScope::submit_here(sched::Task& task, std::span<const Access> footprint,
                                                           std::span<const detail::TaskRef> after) {
  spawning_ = &task;
  predecessor_count_ = 0;
  for (const detail::TaskRef ref : after) {
    if (!sched::has_ended(ref)) add_predecessor(ref);
  }
  if (!footprint.empty()) {
    if (map_ == nullptr) [[unlikely]]
      map_ = std::make_unique<deps::BlockMap>();
    try {
      map_->analyse(*this, node_ref(task), footprint);
    } catch (...) {  // out of memory: the map may know the task already, so it has to run
      spawning_ = nullptr;
      link(task);
      throw;
    }
  }
  spawning_ = nullptr;
  link(task);
}

inline void SpawnScope::link(sched::Task& task) {
  if (predecessor_count_ == 0) return owner()->submit(&task);
  if (predecessor_count_ != 1) return link_several(task);
  const detail::TaskRef before = predecessors_[0];
  seen_[place_of(before)] = 0;
  sched::Edge& edge = edge_between(*before.task, task);
  edge.target = reinterpret_cast<std::uintptr_t>(&task);
  task.arrivals.expect(1);
  if (!before.task->successors.try_add(&edge, before.generation)) owner()->submit(&task);
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
  if (from.task->generation.load(std::memory_order_relaxed) != from.generation ||
      from.task->successors.closed(from.generation)) {
    return false;
  }
  add_predecessor(from);
  seen = static_cast<std::uint8_t>(predecessor_count_ < kMostSeen ? predecessor_count_ : 0);
  return true;
}

}  // namespace weir::runtime
