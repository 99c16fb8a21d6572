// The library's side of spawn(), wait() and handles: what include/weir/detail/spawn.hpp declares.
#include <fmt/format.h>

#include <memory>

#include "base/check.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/spawn_hooks.hpp"
#include "runtime/spawn_scope.hpp"
#include "sched/worker.hpp"

namespace weir {

using runtime::SpawnScope;
using sched::Edge;
using sched::Task;
using sched::TaskHeap;
using sched::Worker;

namespace {

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

// Room that a task asks for edges: as many predecessors as most tasks with such a footprint have.
constexpr std::size_t edges_for(std::uint32_t accesses) { return accesses == 0 ? 0 : accesses + (accesses > 1 ? 2 : 0); }

SpawnScope& scope_of(Worker& worker) {
  sched::Frame& frame = worker.frame();
  if (frame.children == nullptr) [[unlikely]] frame.children = new SpawnScope(worker, frame.task);
  return static_cast<SpawnScope&>(*frame.children);
}

Worker& worker_of(Runtime* runtime) {
  Worker* const worker = Worker::current();
  if (runtime == nullptr) return worker != nullptr ? *worker : runtime::this_worker();
  runtime::State& state = *detail::RuntimeAccess::state(*runtime);
  if (worker != nullptr && &worker->scheduler() == state.scheduler.get()) [[likely]] return *worker;
  return runtime::worker_in(state);
}

[[gnu::noinline]] void* large_closure(Task& task, std::size_t bytes) {
  auto extra = std::make_unique<sched::TaskExtra>();
  extra->large_closure = ::operator new(bytes, std::align_val_t{detail::kMaxAlignment});
  void* const memory = extra->large_closure;
  task.note = sched::TaskNote(extra.release());
  return memory;
}

void apply(Task& task, const detail::Attributes& attributes, const sched::Scheduler& scheduler) {
  if (attributes.domain >= scheduler.domain_count() || attributes.domain < -1) {
    throw Error(fmt::format("on_domain({}): the runtime has {} domain{}, numbered from 0", attributes.domain,
                            scheduler.domain_count(), scheduler.domain_count() == 1 ? "" : "s"));
  }
  if (attributes.domain < 0 && attributes.priority == Priority::normal && task.note.extra() == nullptr) {
    if (attributes.name != nullptr) task.note = sched::TaskNote(attributes.name);
    return;
  }
  if (task.note.extra() == nullptr) task.note = sched::TaskNote(new sched::TaskExtra);
  sched::TaskExtra& extra = *task.note.extra();
  extra.name = attributes.name;
  extra.domain = attributes.domain;
  extra.priority = attributes.priority;
}

void apply_or_abandon(Task& task, const detail::Attributes& attributes) {
  Worker& worker = *task.scope->owner();
  try {
    apply(task, attributes, worker.scheduler());
  } catch (...) {
    task.invoke(task.closure, &task, detail::Invoke::destroy);
    worker.free(&task);
    throw;
  }
}

// What is left of the task's memory behind its closure.
std::span<Edge> edges_behind(Task& task, std::size_t closure_bytes) {
  auto* const start = reinterpret_cast<std::byte*>(&task);
  std::size_t used = sizeof(Task);
  if (task.closure == start + sizeof(Task)) used += round_up(closure_bytes, alignof(Edge));
  return {reinterpret_cast<Edge*>(start + used), (TaskHeap::slot_bytes(task) - used) / sizeof(Edge)};
}

[[gnu::noinline]] void throttle(Worker& worker, SpawnScope& scope, std::int64_t limit) {
  worker.throttle(scope, limit - limit / 8);
}

}  // namespace

namespace detail {

NewTask new_task(Runtime* runtime, std::size_t closure_bytes, std::size_t alignment, std::uint32_t access_count) {
  static_cast<void>(alignment);  // slots are aligned to kMaxAlignment
  Worker& worker = worker_of(runtime);
  SpawnScope& scope = scope_of(worker);
  const std::size_t edge_bytes = edges_for(access_count) * sizeof(Edge);
  const std::size_t bytes = round_up(closure_bytes, alignof(Edge)) + edge_bytes;
  if (bytes <= TaskHeap::kLargest) [[likely]] {
    Task* task = worker.heap().allocate(bytes);
    task->scope = &scope;
    task->closure = task + 1;
    return {task, task->closure};
  }
  Task* task = worker.heap().allocate(std::min(edge_bytes, TaskHeap::kLargest));
  task->scope = &scope;
  try {
    task->closure = large_closure(*task, closure_bytes);
  } catch (...) {
    worker.free(task);
    throw;
  }
  return {task, task->closure};
}

void abandon_task(Task* task) noexcept { task->scope->owner()->free(task); }

TaskRef submit_task(Task* task, InvokeFunction invoke, std::size_t closure_bytes, const Access* accesses,
                    std::uint32_t access_count, const Attributes* attributes) {
  SpawnScope& scope = static_cast<SpawnScope&>(*task->scope);
  Worker& worker = *scope.owner();
  task->invoke = invoke;
  const TaskRef ref = task->ref();
  if (attributes != nullptr) apply_or_abandon(*task, *attributes);
  scope.count_spawned();
  worker.note_spawn();
  if (access_count == 0 && (attributes == nullptr || attributes->after_count == 0)) {
    worker.submit(task);
  } else {
    scope.submit(*task, {accesses, access_count},
                 attributes == nullptr ? std::span<const TaskRef>{} : std::span{attributes->after, attributes->after_count},
                 edges_behind(*task, closure_bytes));
  }
  const int limit = worker.scheduler().options().throttle;
  if (limit != 0 && scope.may_exceed(limit)) [[unlikely]] throttle(worker, scope, limit);
  return ref;
}

bool is_finished(TaskRef task) noexcept { return sched::has_ended(task); }

void wait_for(TaskRef task) {
  if (task.task == nullptr) return;
  Worker& worker = runtime::worker_for(task);
  worker.wait_for(task);
  const sched::Scope* const scope = worker.frame().children;
  if (scope == nullptr) return;
  if (std::exception_ptr failure = scope->failure()) std::rethrow_exception(failure);
}

void* reduction_copy(Task* self, std::uint32_t index) noexcept {
  return static_cast<runtime::SpawnHooks*>(self->note.extra()->hooks)->copy(index);
}

void throw_no_result() {
  throw Error("the task has no result: it failed or was cancelled, and wait() took its scope's exception");
}

}  // namespace detail

namespace {

void wait_in(Worker& worker) {
  sched::Scope* const children = worker.frame().children;
  if (children == nullptr) return;
  worker.wait_for_children(*children);
  static_cast<SpawnScope*>(children)->forget_footprints();
  if (std::exception_ptr failure = children->take_failure()) std::rethrow_exception(failure);
}

}  // namespace

void Runtime::wait() { wait_in(worker_of(this)); }
void wait() { wait_in(worker_of(nullptr)); }

int current_worker() noexcept {
  const Worker* worker = runtime::find_this_worker();
  return worker == nullptr ? -1 : worker->index();
}

int current_domain() noexcept {
  const Worker* worker = runtime::find_this_worker();
  return worker == nullptr ? -1 : worker->domain();
}

namespace detail {

bool fork_push(ForkHalf& half) {
  Worker* const worker = Worker::current();
  return worker != nullptr ? worker->fork(half) : runtime::this_worker().fork(half);
}

bool fork_join_half(ForkHalf& half) noexcept { return static_cast<Worker*>(half.owner)->join(half); }

int fork_width() { return runtime::this_worker().scheduler().worker_count(); }

}  // namespace detail

}  // namespace weir
