// SPDX-License-Identifier: Apache-2.0

#include "runtime/spawn_scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/check.hpp"
#include "runtime/own_task.hpp"
#include "runtime/program_memory.hpp"
#include "runtime/task_data.hpp"
#include "sched/policy/throttle.hpp"
#include "sched/relay.hpp"
#include "sched/scheduler.hpp"
#include "sched/task_text.hpp"
#include "weir/error.hpp"

namespace weir::runtime {

using detail::TaskRef;
using sched::Edge;
using sched::Relay;
using sched::Task;

SpawnScope::SpawnScope(sched::Worker& owner, sched::Task* parent) : Scope(sched::ScopeKind::spawn) {
  open(&owner, parent);
  const std::uint64_t number = owner.scheduler().first_generation() & ~NamedBy::kScopeBits;
  mark_ = number | reinterpret_cast<std::uintptr_t>(this);
  const sched::Scheduler& scheduler = owner.scheduler();
  set_limit(sched::policy::first_limit(scheduler.options().throttle, scheduler.worker_count()));
}

SpawnScope::~SpawnScope() {
  if (map_ != nullptr) map_->reset(*this);
}

void SpawnScope::submit(Task& task, std::span<const Access> footprint, std::span<const TaskRef> after) {
  submit_here(task, footprint, after);
}

namespace {

// False: `before` has ended.
bool link_by(Edge* edge, TaskRef before, Task& task) noexcept {
  edge->target = reinterpret_cast<std::uintptr_t>(&task);
  return before.task->successors.try_add(edge, before.generation);
}

}  // namespace

// EDGE-4: from the moment the last edge is linked the task may run, end, and be another one, unless some predecessor
// had ended meanwhile: then its arrival is still owed, and made here.
void SpawnScope::link_several(Task& task) {
  if (predecessor_count_ > sched::Arrivals::kMost) [[unlikely]]
    fold_predecessors();
  const std::size_t count = predecessor_count_;
  if (count > 1) count_in_order();
  task.arrivals.expect(static_cast<std::uint32_t>(count));
  std::uint32_t ended = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const TaskRef before = predecessors_[i];
    seen_[place_of(before)] = 0;
    Edge* const edge = room_for_edge(*before.task, task);
    const bool is_linked = edge != nullptr ? link_by(edge, before, task) : link_or_wait(before, task);
    ended += is_linked ? 0 : 1;
  }
  if (ended == 0) return;
  if (ended == count || task.arrivals.arrive_unrun(ended)) owner()->submit(&task);
}

// More than a task can count: a join stands for them.
void SpawnScope::fold_predecessors() {
  seen_.fill(0);
  Task& join = make_node(&run_join);
  for (std::size_t i = 0; i < predecessor_count_; ++i) static_cast<void>(link_to_node(predecessors_[i], join));
  predecessors_[0] = join.ref();
  predecessor_count_ = 1;
  seal_join(node_ref(join));
}

// Where the two have no room for an edge. False: `before` has ended. Where there is no memory either, this thread waits
// for it: others have linked the task already, or will come after it.
bool SpawnScope::link_or_wait(TaskRef before, Task& task) {
  try {
    if (before.task->heap != task.heap) return Relay::link(before, reinterpret_cast<std::uintptr_t>(&task));
    return link_by(&sched::extra_of(task).add_edge(), before, task);
  } catch (const std::bad_alloc&) {
    owner()->wait_for(before);
    return false;
  }
}

void SpawnScope::add_predecessors(Task& task, std::span<const TaskRef> all) {
  try {
    for (const TaskRef ref : all) {
      if (!sched::has_ended(ref)) add_predecessor(ref);
    }
  } catch (...) {  // no memory
    end_refused(task);
    throw;
  }
}

void SpawnScope::end_refused(Task& task) {
  spawning_ = nullptr;
  refuse(task);
  link(task);
}

void SpawnScope::make_predecessor_room() {
  const std::size_t room = predecessor_room_ == 0 ? 16 : 2 * predecessor_room_;
  auto more = std::make_unique<TaskRef[]>(room);
  std::copy_n(predecessors_.get(), predecessor_count_, more.get());
  predecessors_ = std::move(more);
  predecessor_room_ = room;
}

void SpawnScope::before_wait() noexcept {
  if (map_ != nullptr) map_->close_reductions(*this);
}

sched::Scope* SpawnScope::close(std::exception_ptr& failure) noexcept {
  const std::unique_ptr<LateEnd> late = std::move(late_);
  delete this;
  return late == nullptr ? nullptr : late->children_ended(failure);
}

std::int64_t SpawnScope::before_throttle() noexcept {
  constexpr std::size_t kMost = 16;  // open at a time; the combining of more is memory that the throttle has to bound
  const std::int64_t completions = open_completions_.load(std::memory_order_relaxed);
  if (map_ == nullptr) return completions;
  if (map_->open_reductions() > kMost) map_->close_reductions(*this);
  return completions + static_cast<std::int64_t>(map_->open_reductions());
}

void SpawnScope::forget_footprints(Keeps keeps) noexcept {
  if (map_ == nullptr) return;
  if (keeps == Keeps::nothing)
    map_->reset(*this);
  else
    map_->clear(*this);
}

// ---- The graph ----

namespace {

// Of what a node counts at most: predecessors of its own, and as many joins.
constexpr std::uint32_t kHalf = sched::Arrivals::kMost / 2;

deps::NodeRef node_of(Task& task) noexcept {
  const TaskRef ref = task.ref();
  return {ref.task, ref.generation};
}

// A node that is not sealed yet has one arrival in hand, so it cannot start meanwhile.
bool link_counted(const SpawnScope& scope, TaskRef before, Task& node) {
  if (trace::Track* const track = scope.owner()->track())
    track->edge(sched::trace_id(before), sched::trace_id(node.ref()), {});
  const auto target = reinterpret_cast<std::uintptr_t>(&node);
  const bool is_own = before.task->heap == node.heap;
  Edge* const edge = is_own ? &sched::extra_of(node).add_edge() : nullptr;
  if (is_own) edge->target = target;
  node.arrivals.expect_another();
  try {
    if (is_own ? before.task->successors.try_add(edge, before.generation) : Relay::link(before, target)) return true;
  } catch (...) {  // no memory
    static_cast<void>(node.arrivals.arrive_unrun(1));
    throw;
  }
  static_cast<void>(node.arrivals.arrive_unrun(1));  // never the last: the node is not sealed
  return false;
}

// A join that stands for many of its predecessors, and has room.
[[gnu::noinline, gnu::cold]] Task& join_before(SpawnScope& scope, Task& node) {
  Task* const full = sched::extra_of(node).join;
  if (full != nullptr && full->arrivals.missing() < kHalf) return *full;
  Task& join = *static_cast<Task*>(scope.make_join().node);
  try {
    static_cast<void>(link_counted(scope, join.ref(), node));
  } catch (...) {  // nothing comes before or after it
    scope.seal_join(node_of(join));
    throw;
  }
  sched::extra_of(node).join = &join;
  if (full != nullptr) scope.seal_join(node_of(*full));
  return join;
}

}  // namespace

bool SpawnScope::link_to_node(TaskRef before, Task& node) {
  if (sched::has_ended(before)) return false;
  return link_counted(*this, before, node.arrivals.missing() < kHalf ? node : join_before(*this, node));
}

Task& SpawnScope::make_node(detail::InvokeFunction invoke) {
  constexpr detail::TaskShape kShape = detail::shape_of(std::max(sizeof(void*), sizeof(CompletionTimes)), 0);
  Task& node = *owner()->heap().allocate(kShape.slot, this);
  node.invoke = invoke;
  node.site = nullptr;
  node.arrivals.expect(1);
  count_spawned();
  return node;
}

detail::TaskRef SpawnScope::spawn_behind(const Access& access) {
  Task& node = make_node(&run_join);
  const TaskRef ref = node.ref();
  submit(node, {&access, 1}, {});
  return ref;
}

Task& SpawnScope::open_completion(std::uint64_t parent) {
  Task& node = make_node(&run_completed);
  CompletionTimes* const times = new (node.closure()) CompletionTimes;
  if (owner()->track() != nullptr) *times = {parent, trace::Track::now(), 0};
  node.note = sched::TaskNote::urgent(nullptr);  // others wait for the end that it stands for
  open_completions_.fetch_add(1, std::memory_order_relaxed);
  return node;
}

// DONE-1: acquire and release, as between tasks: what this thread has done is seen by what comes after the parent.
void SpawnScope::close_completion(Task& node) noexcept {
  open_completions_.fetch_sub(1, std::memory_order_relaxed);
  CompletionTimes& times = *static_cast<CompletionTimes*>(node.closure());
  if (times.begun != 0) times.completed = trace::Track::now();
  sched::Scheduler& scheduler = owner()->scheduler();
  const int domain = owner()->domain();
  static_cast<void>(node.arrivals.arrive_unrun(1));
  scheduler.submit(node, domain);
}

void SpawnScope::begin_watching(const Partition& partition) {
  naming_runtimes(partition).note(partition.named_by, mark_);
}

namespace {

[[noreturn]] void end_with_section(const Task& task, const Access& access) noexcept {
  std::fprintf(stderr, "weir: %s, names a section that is not within its watched array: %s\n",
               sched::text_of(task).c_str(), deps::outside_text(access).c_str());
  std::abort();
}

}  // namespace

void SpawnScope::cannot_name(const Access& access) {
  if (access.partition != nullptr) end_with_section(*spawning_, access);
  const Region& region = access.region;
  if (region.rows == 1) {
    throw Error(
        fmt::format("a footprint names {} bytes from address {} on: no memory has them; correct the pointer or the "
                    "number of elements",
                    region.row_bytes, region.base));
  }
  throw Error(
      region.stride_bytes < region.row_bytes
          ? fmt::format("a footprint names {} rows of {} bytes whose starts are {} bytes apart: they overlap; give "
                        "weir::Region a stride of at least the bytes of a row",
                        region.rows, region.row_bytes, static_cast<std::ptrdiff_t>(region.stride_bytes))
          : fmt::format("a footprint names {} rows of {} bytes, {} bytes from one to the next, from address {} on: no "
                        "memory has them; correct the weir::Region",
                        region.rows, region.row_bytes, static_cast<std::ptrdiff_t>(region.stride_bytes), region.base));
}

deps::NodeRef SpawnScope::make_join() { return node_ref(make_node(&run_join)); }

void SpawnScope::seal_join(deps::NodeRef node) noexcept {
  Task* task = static_cast<Task*>(node.node);
  if (sched::TaskExtra* const extra = task->note.extra(); extra != nullptr && extra->join != nullptr) [[unlikely]]
    seal_join(node_of(*std::exchange(extra->join, nullptr)));
  if (task->arrivals.arrive_unrun(1)) owner()->submit(task);
}

void* SpawnScope::make_lock() { return new ExclusionLock; }
void SpawnScope::release_lock(void* lock) noexcept { delete static_cast<ExclusionLock*>(lock); }

void SpawnScope::commutative(deps::NodeRef, void* lock) {
  TaskData::made_for(*spawning_).add_lock(static_cast<ExclusionLock*>(lock));
}

deps::OpenedReduction SpawnScope::open_reduction(const Access& access) {
  auto group = std::make_unique<ReductionGroup>(access);
  Task& node = make_node(&run_fold);
  *static_cast<ReductionGroup**>(node.closure()) = group.get();
  return {group.release(), node_ref(node)};
}

void SpawnScope::join_reduction(deps::NodeRef, void* group) {
  TaskData::made_for(*spawning_).add_reduction(static_cast<ReductionGroup*>(group));
}

}  // namespace weir::runtime
