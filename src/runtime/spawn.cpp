// SPDX-License-Identifier: Apache-2.0

// The library's side of spawn(), wait() and handles: what include/weir/detail/spawn.hpp declares.
#include <fmt/format.h>

#include <memory>

#include "base/check.hpp"
#include "base/hooks.hpp"
#include "check/checker.hpp"
#include "runtime/checking.hpp"
#include "runtime/nesting.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/spawn_hooks.hpp"
#include "runtime/spawn_scope.hpp"
#include "runtime/tracing.hpp"
#include "sched/worker.hpp"
#include "weir/detail/block.hpp"

namespace weir {

using runtime::SpawnScope;
using sched::Task;
using sched::Worker;

namespace {

SpawnScope& scope_of(Worker& worker) {
  sched::Frame& frame = worker.frame();
  if (frame.children == nullptr) [[unlikely]]
    frame.children = new SpawnScope(worker, frame.task);
  return static_cast<SpawnScope&>(*frame.children);
}

Worker& worker_of(Runtime* runtime) {
  Worker* const worker = Worker::current();
  if (runtime == nullptr) return worker != nullptr ? *worker : runtime::this_worker();
  runtime::State& state = *detail::RuntimeAccess::state(*runtime);
  if (worker != nullptr && &worker->scheduler() == state.scheduler.get()) [[likely]]
    return *worker;
  return runtime::worker_in(state);
}

[[gnu::noinline]] void* make_large_closure(Task& task, std::size_t bytes) {
  auto extra = std::make_unique<sched::TaskExtra>();
  extra->large_closure = ::operator new (bytes, std::align_val_t{detail::kMaxAlignment});
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
  sched::TaskExtra* extra = task.note.extra();
  std::unique_ptr<sched::TaskExtra> fresh;
  if (extra == nullptr) {
    fresh = std::make_unique<sched::TaskExtra>();
    extra = fresh.get();
  }
  extra->name = attributes.name;
  extra->domain = attributes.domain;
  extra->priority = attributes.priority;
  if (fresh != nullptr) task.note = sched::TaskNote(fresh.release());
}

void apply_or_abandon(Task& task, const detail::Attributes& attributes) {
  Worker& worker = *task.scope->owner();
  try {
    apply(task, attributes, worker.scheduler());
  } catch (...) {
    task.invoke(task.closure(), &task, detail::Invoke::destroy);
    worker.abandon(&task);
    throw;
  }
}

// A spawning thread that runs too far ahead of its tasks runs some of them first.
void throttle_if_ahead(Worker& worker, SpawnScope& scope) {
  if (scope.may_exceed(scope.limit())) [[unlikely]]
    worker.throttle(scope);
}

// Null when they have none: in a checked program.
data::Store* store_of(std::span<const Access> footprint) {
  data::Store* store = nullptr;
  for (const Access& item : footprint) {
    if (!item.is_block()) continue;
    data::Store* const other = data::block_of(*detail::block_of(item)).store;
    WEIR_CHECK(store == nullptr || store == other, "a footprint names blocks of different runtimes");
    store = other;
  }
  return store;
}

// As scope.submit(), for who traces or checks.
[[gnu::noinline]] void submit_observed(SpawnScope& scope, Task& task, std::span<const Access> footprint,
                                       std::span<const detail::TaskRef> after) {
  if (check::active())
    runtime::submit_checked(scope, task, footprint, after);
  else
    runtime::submit_traced(scope, task, footprint, after);
}

// In tracked mode: what the task asks of the data layer.
data::Request& add_request(Task& task, std::span<const Access> footprint) {
  auto request = std::make_unique<data::Request>();
  request->task = &task;
  request->revocable = true;
  request->set_parent(runtime::request_around(task.scope->parent()));
  request->make_room(footprint.size());
  for (const Access& item : footprint) {
    if (item.is_block()) request->add(data::block_of(*detail::block_of(item)), item.mode);
  }
  if (task.note.extra() == nullptr) task.note = sched::TaskNote(new sched::TaskExtra);
  auto hooks = std::make_unique<runtime::SpawnHooks>();
  data::Request& result = *request;
  hooks->add_request(std::move(request));
  task.note.extra()->hooks = hooks.release();
  return result;
}

}  // namespace

namespace detail {

NewTask new_task(Runtime* runtime, const TaskShape& shape) {
  Worker& worker = worker_of(runtime);
  SpawnScope& scope = scope_of(worker);
  Task* const task = worker.heap().allocate(shape.slot, &scope);
  task->edge_room = static_cast<std::uint8_t>(shape.edge_count);
  if (!shape.large) [[likely]]
    return {task, task->closure()};
  try {
    return {task, make_large_closure(*task, shape.closure_bytes)};
  } catch (...) {
    worker.abandon(task);
    throw;
  }
}

void* large_closure(Task* task) noexcept { return task->note.extra()->large_closure; }

void abandon_task(Task* task) noexcept { task->scope->owner()->abandon(task); }

[[gnu::noinline]] TaskRef submit_task(Task* task, InvokeFunction invoke) {
  SpawnScope& scope = static_cast<SpawnScope&>(*task->scope);
  Worker& worker = *scope.owner();
  task->invoke = invoke;
  if constexpr (base::kHooks) task->site = __builtin_return_address(0);
  const TaskRef ref = task->ref();
  scope.count_spawned();
  if (worker.note_spawn()) [[unlikely]]
    submit_observed(scope, *task, {}, {});
  else
    worker.submit(task);
  throttle_if_ahead(worker, scope);
  return ref;
}

[[gnu::noinline]] TaskRef submit_task(Task* task, InvokeFunction invoke, std::span<const Access> footprint,
                                      const Attributes* attributes) {
  SpawnScope& scope = static_cast<SpawnScope&>(*task->scope);
  Worker& worker = *scope.owner();
  task->invoke = invoke;
  if constexpr (base::kHooks) task->site = __builtin_return_address(0);
  const TaskRef ref = task->ref();
  std::span<const TaskRef> after;
  if (attributes != nullptr) {
    apply_or_abandon(*task, *attributes);
    after = {attributes->after, attributes->after_count};
  }
  runtime::check_nesting(*task, scope.parent(), footprint);
  scope.count_spawned();
  if (worker.note_spawn()) [[unlikely]]
    submit_observed(scope, *task, footprint, after);
  else
    scope.submit(*task, footprint, after);
  throttle_if_ahead(worker, scope);
  return ref;
}

// Counted, or given its request, before anything can fail: leave_blocks() follows in any case.
[[gnu::noinline]] TaskRef submit_block_task(Task* task, InvokeFunction invoke, std::span<const Access> footprint,
                                            const Attributes* attributes) {
  SpawnScope& scope = static_cast<SpawnScope&>(*task->scope);
  Worker& worker = *scope.owner();
  task->invoke = invoke;
  if constexpr (base::kHooks) task->site = __builtin_return_address(0);
  const TaskRef ref = task->ref();
  data::Store* const store = store_of(footprint);
  data::Request* const request =
      store == nullptr || store->begin_untracked(worker.index()) ? nullptr : &add_request(*task, footprint);
  std::span<const TaskRef> after;
  if (attributes != nullptr) {
    apply_or_abandon(*task, *attributes);
    after = {attributes->after, attributes->after_count};
  }
  runtime::check_nesting(*task, scope.parent(), footprint);
  scope.count_spawned();
  if (request != nullptr) {
    request->name = attributes != nullptr && attributes->name != nullptr ? attributes->name : "";
    const int domain = attributes != nullptr && attributes->domain >= 0 ? attributes->domain : worker.domain();
    request->domain = worker.scheduler().machine_domain(domain);
    request->trace_id = sched::trace_id(ref);
    store->add(*request);
  }
  if (worker.note_spawn()) [[unlikely]]
    submit_observed(scope, *task, footprint, after);
  else
    scope.submit(*task, footprint, after);
  throttle_if_ahead(worker, scope);
  return ref;
}

[[gnu::noinline]] static void wait_for_checked(Worker& worker, TaskRef task) {
  {
    const check::WaitPause pause;
    worker.wait_for(task);
  }
  const check::Pause pause;
  check::waited_for(worker.frame().children, sched::trace_id(task));
}

bool is_finished(TaskRef task) noexcept { return sched::has_ended(task); }

void wait_for(TaskRef task) {
  if (task.task == nullptr) return;
  Worker& worker = runtime::worker_for(task);
  if (check::active()) [[unlikely]]
    wait_for_checked(worker, task);
  else
    worker.wait_for(task);
  const sched::Scope* const scope = worker.frame().children;
  if (scope == nullptr) return;
  if (std::exception_ptr failure = scope->failure()) std::rethrow_exception(failure);
}

void* reduction_copy(Task* self, std::uint32_t index) noexcept {
  return static_cast<runtime::SpawnHooks*>(self->note.extra()->hooks.get())->copy(index);
}

void throw_no_result() {
  throw Error("the task has no result: it failed or was cancelled, and wait() took its scope's exception");
}

}  // namespace detail

namespace {

[[gnu::noinline]] void wait_checked(Worker& worker, sched::Scope& children) {
  {
    const check::WaitPause pause;
    worker.wait_for_children(children);
  }
  const check::Pause pause;
  check::waited(&children);
}

void wait_in(Worker& worker) {
  sched::Scope* const children = worker.frame().children;
  if (children == nullptr) return;
  if (check::active()) [[unlikely]]
    wait_checked(worker, *children);
  else
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
