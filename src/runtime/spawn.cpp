// SPDX-License-Identifier: Apache-2.0

// The library's side of spawn(), wait() and handles: what include/weir/detail/spawn.hpp declares.
#include <fmt/format.h>

#include <memory>

#include "base/check.hpp"
#include "base/hooks.hpp"
#include "check/hooks.hpp"
#include "platform/exceptions_apart.hpp"
#include "platform/fresh_stack.hpp"
#include "runtime/checking.hpp"
#include "runtime/checkpointing.hpp"
#include "runtime/held_task.hpp"
#include "runtime/lifetime.hpp"
#include "runtime/nesting.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/spawn_scope.hpp"
#include "runtime/task_data.hpp"
#include "runtime/tracing.hpp"
#include "sched/worker.hpp"
#include "weir/detail/block.hpp"

namespace weir {

using detail::TaskRef;
using runtime::scope_of;
using runtime::SpawnScope;
using runtime::TaskData;
using sched::Task;
using sched::Worker;

namespace {

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

// What the attributes ask for beside a name and when the task begins.
void add_wishes(Task& task, const detail::Attributes& attributes) {
  sched::TaskExtra& extra = sched::extra_of(task);
  extra.name = attributes.name;
  extra.domain = attributes.domain;
  extra.priority = attributes.begin == detail::Begin::queued ? attributes.priority : Priority::urgent;
}

// A prompt task that cannot run at once is urgent. That is each where the checker looks, which must not meet a task
// inside of what Weir does, and in a traced run: what comes after it is spawned before it has ended, and so recorded.
void set_begin(Task& task, detail::Begin begin) noexcept {
  if (!check::active() && task.scope->owner()->track() == nullptr) task.note.make_prompt();
  if (begin == runtime::kHeld) task.note.hold();
}

void apply(Task& task, const detail::Attributes& attributes, const sched::Scheduler& scheduler) {
  if (attributes.domain >= scheduler.domain_count() || attributes.domain < -1) {
    const int asked = attributes.domain == detail::kNoSuchDomain ? -1 : attributes.domain;
    throw Error(fmt::format("on_domain({}): the runtime has {} domain{}, numbered from 0", asked,
                            scheduler.domain_count(), scheduler.domain_count() == 1 ? "" : "s"));
  }
  if (attributes.priority > Priority::background) {
    throw Error(fmt::format("Priority({}): there are normal, urgent and background, 0 to {}",
                            static_cast<int>(attributes.priority), static_cast<int>(Priority::background)));
  }
  const bool is_queued = attributes.begin == detail::Begin::queued;
  const bool is_traced = task.scope->owner()->track() != nullptr;  // a held task then has a time to keep
  const bool wishes = attributes.domain >= 0 || (is_queued ? attributes.priority != Priority::normal : is_traced);
  if (wishes || task.note.extra() != nullptr)
    add_wishes(task, attributes);
  else if (!is_queued)
    task.note = sched::TaskNote::urgent(attributes.name);
  else if (attributes.name != nullptr)
    task.note = sched::TaskNote(attributes.name);
  if (!is_queued) set_begin(task, attributes.begin);
}

// A generation tells the runtime that it is of.
void check_after(const detail::Attributes& attributes, const sched::Scheduler& scheduler) {
  for (const detail::TaskRef ref : std::span(attributes.after, attributes.after_count)) {
    if (ref.task == nullptr || runtime::is_of(scheduler, ref.generation)) continue;
    throw Error(
        "after(): the handle is of a task of another runtime, or of one that has ended: a task can come after those of "
        "its own runtime");
  }
}

// What the closure destroys may wait for all tasks there are.
[[gnu::cold]] void abandon_closure(Task& task) noexcept {
  task.scope->owner()->give_up(&task);
  task.invoke(task.closure(), &task, detail::Invoke::destroy);
  task.scope->owner()->abandon(&task);
}

void apply_or_abandon(Task& task, const detail::Attributes& attributes) {
  const sched::Scheduler& scheduler = task.scope->owner()->scheduler();
  try {
    check_after(attributes, scheduler);
    apply(task, attributes, scheduler);
  } catch (...) {
    abandon_closure(task);
    throw;
  }
}

[[gnu::always_inline]] inline void apply_if_any(Task& task, const detail::Attributes* attributes) {
  if (attributes != nullptr) [[unlikely]]
    apply_or_abandon(task, *attributes);
}
// What a task with these attributes comes after.
inline std::span<const detail::TaskRef> after_of(const detail::Attributes* attributes) noexcept {
  if (attributes == nullptr) [[likely]]
    return {};
  return {attributes->after, attributes->after_count};
}

// A spawning thread that runs too far ahead of its tasks runs some of them first. `ref`, of the task that was spawned,
// is passed through: this is the last that a spawn does, which so keeps nothing across a call.
[[gnu::noinline]] TaskRef throttle(Worker& worker, SpawnScope& scope, TaskRef ref) {
  if (scope.exceeds_limit()) worker.throttle(scope);
  return ref;
}
inline TaskRef throttle_if_ahead(Worker& worker, SpawnScope& scope, TaskRef ref) {
  if (scope.may_exceed_limit()) [[unlikely]]
    return throttle(worker, scope, ref);
  return ref;
}

// The task has run before the checkpoint that the run goes on from.
[[gnu::noinline]] void skip(SpawnScope& scope, Task& task) noexcept {
  abandon_closure(task);
  static_cast<void>(scope.try_count_ended_here());
}

// As scope.submit(), for who traces, checks, or makes checkpoints.
[[gnu::noinline]] void submit_observed(SpawnScope& scope, Task& task, std::span<const Access> footprint,
                                       std::span<const detail::TaskRef> after) {
  if (check::active()) return runtime::submit_checked(scope, task, footprint, after);
  const Worker& worker = *scope.owner();
  if (runtime::Checkpointing* const checkpointing = worker.scheduler().owner->checkpointing.get()) {
    if (checkpointing->note_task(scope, task.note.name(), footprint)) return skip(scope, task);
  }
  if (worker.track() != nullptr)
    runtime::submit_traced(scope, task, footprint, after);
  else
    scope.submit_here(task, footprint, after);
}

// The last of a spawn that is observed, and ends in it: a spawn that is not keeps no registers for it. What the task
// comes after is read from `attributes`, if any, which the caller has at hand anyway.
[[gnu::noinline]] TaskRef hand_over_observed(Task& task, std::span<const Access> footprint,
                                             const detail::Attributes* attributes) {
  SpawnScope& scope = SpawnScope::spawning(task);
  const TaskRef ref = task.ref();
  submit_observed(scope, task, footprint, after_of(attributes));
  return throttle_if_ahead(*scope.owner(), scope, ref);
}

// The task is spawned, and may run from here on.
[[gnu::always_inline]] inline TaskRef hand_over(Worker& worker, SpawnScope& scope, Task& task,
                                                std::span<const Access> footprint,
                                                const detail::Attributes* attributes) {
  if (worker.note_spawn()) [[unlikely]]
    return hand_over_observed(task, footprint, attributes);
  const TaskRef ref = task.ref();
  scope.submit_here(task, footprint, after_of(attributes));
  return throttle_if_ahead(worker, scope, ref);
}

// The rest of submit_task() of a task without a footprint, for one that is not simply pushed. It is given the task
// alone: for what else it was given submit_task() would have to move its own arguments out of their registers.
[[gnu::noinline]] TaskRef submit_specially(Task& task, bool observed) {
  SpawnScope& scope = SpawnScope::spawning(task);
  Worker& worker = *scope.owner();
  const TaskRef ref = task.ref();
  if (observed)
    submit_observed(scope, task, {}, {});
  else
    worker.submit(&task);
  return throttle_if_ahead(worker, scope, ref);
}
[[gnu::noinline]] TaskRef wake_for_work(Worker& worker, SpawnScope& scope, TaskRef ref) {
  worker.queues().wake_someone();
  return throttle_if_ahead(worker, scope, ref);
}

// In tracked mode: what the task asks of the data layer.
data::Request& add_request(Task& task, data::Store& store, std::span<const Access> footprint) {
  data::Request& request =
      *TaskData::with_request(task, &store, task.scope->owner()->scheduler(), TaskData::OnFailure::fail_scope)
           .request();
  request.set_parent(runtime::request_around(task.scope->parent()));
  request.make_room(footprint.size());
  for (const Access& item : footprint) {
    if (item.is_block()) request.add(data::block_of(*detail::block_of(item)), item.mode);
  }
  return request;
}

// leave_blocks() takes a task without a request for counted.
[[gnu::cold]] void abandon_uncounted(SpawnScope& scope, Task& task) noexcept {
  const Worker& worker = *scope.owner();
  data::Store* const store = worker.scheduler().owner->blocks->find_store();
  if (store != nullptr && runtime::request_of(task) == nullptr)
    store->untracked().count_without_request(worker.index());
  abandon_closure(task);
}

data::Store* name_blocks_or_abandon(SpawnScope& scope, Task& task, std::span<const Access> footprint) {
  try {
    return runtime::name_blocks(scope, footprint);
  } catch (...) {
    abandon_uncounted(scope, task);
    throw;
  }
}

data::Request* add_request_or_abandon(SpawnScope& scope, Task& task, data::Store& store,
                                      std::span<const Access> footprint) {
  try {
    return &add_request(task, store, footprint);
  } catch (...) {
    abandon_uncounted(scope, task);
    throw;
  }
}

// Before the task has asked for its blocks: true, and the task is gone, when it has run before the checkpoint that the
// run goes on from.
[[gnu::noinline]] bool is_skipped(SpawnScope& scope, Task& task, std::span<const Access> footprint,
                                  const detail::Attributes* attributes) {
  runtime::Checkpointing* const checkpointing = scope.owner()->scheduler().owner->checkpointing.get();
  if (checkpointing == nullptr || !checkpointing->skips(scope)) return false;
  checkpointing->note_task(scope, attributes != nullptr ? attributes->name : nullptr, footprint);
  TaskData::with_request(task, nullptr, scope.owner()->scheduler(), TaskData::OnFailure::fail_scope);  // as below
  abandon_closure(task);
  return true;
}

}  // namespace

namespace detail {

[[gnu::noinline]] static NewTask new_task_slow(Runtime* runtime, const TaskShape& shape) {
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

NewTask new_task(Runtime* runtime, const TaskShape& shape) {
  Worker* const worker = Worker::current();
  if (worker == nullptr ||
      (runtime != nullptr && &worker->scheduler() != RuntimeAccess::state(*runtime)->scheduler.get()) || shape.large)
      [[unlikely]] {
    return new_task_slow(runtime, shape);
  }
  sched::Scope* const children = worker->frame().children;
  if (children == nullptr) [[unlikely]]
    return new_task_slow(runtime, shape);
  Task* const task = worker->heap().try_allocate(shape.slot, SpawnScope::of(children));
  if (task == nullptr) [[unlikely]]
    return new_task_slow(runtime, shape);
  task->edge_room = static_cast<std::uint8_t>(shape.edge_count);
  return {task, task->closure()};
}

void* large_closure(Task* task) noexcept { return task->note.extra()->large_closure; }

void abandon_task(Task* task) noexcept { task->scope->owner()->abandon(task); }

[[gnu::noinline]] TaskRef submit_task(Task* task, InvokeFunction invoke) {
  SpawnScope& scope = SpawnScope::spawning(*task);
  Worker& worker = *scope.owner();
  task->invoke = invoke;
  if constexpr (base::kHooks) task->site = __builtin_return_address(0);
  scope.count_spawned();
  if (worker.note_spawn()) [[unlikely]]
    return submit_specially(*task, true);
  const TaskRef ref = task->ref();
  if (!task->note.is_plain() || !worker.queues().try_push(reinterpret_cast<std::uintptr_t>(task))) [[unlikely]]
    return submit_specially(*task, false);
  if (worker.queues().may_wake()) [[unlikely]]
    return wake_for_work(worker, scope, ref);
  return throttle_if_ahead(worker, scope, ref);
}

[[gnu::noinline]] TaskRef submit_task(Task* task, InvokeFunction invoke, std::span<const Access> footprint,
                                      const Attributes* attributes) {
  SpawnScope& scope = SpawnScope::spawning(*task);
  Worker& worker = *scope.owner();
  task->invoke = invoke;
  if constexpr (base::kHooks) task->site = __builtin_return_address(0);
  apply_if_any(*task, attributes);
  runtime::check_nesting(*task, scope.parent(), footprint);
  scope.count_spawned();
  return hand_over(worker, scope, *task, footprint, attributes);
}

// Counted, or given its request, before anything else can fail: leave_blocks() follows in any case. store->add() throws
// nothing: without memory for the order in which replicas leave it ends the program.
[[gnu::noinline]] TaskRef submit_block_task(Task* task, InvokeFunction invoke, std::span<const Access> footprint,
                                            const Attributes* attributes) {
  SpawnScope& scope = SpawnScope::spawning(*task);
  Worker& worker = *scope.owner();
  task->invoke = invoke;
  if constexpr (base::kHooks) task->site = __builtin_return_address(0);
  data::Store* const store = name_blocks_or_abandon(scope, *task, footprint);
  if (runtime::Checkpointing::any_restarts()) [[unlikely]] {
    const TaskRef ref = task->ref();
    if (is_skipped(scope, *task, footprint, attributes)) return ref;
  }
  data::Request* const request = store == nullptr || store->untracked().begin(worker.index())
                                     ? nullptr
                                     : add_request_or_abandon(scope, *task, *store, footprint);
  apply_if_any(*task, attributes);
  runtime::check_nesting(*task, scope.parent(), footprint);
  scope.count_spawned();
  if (request != nullptr) {
    request->name = attributes != nullptr && attributes->name != nullptr ? attributes->name : "";
    const int domain = attributes != nullptr && attributes->domain >= 0 ? attributes->domain : worker.domain();
    request->domain = worker.scheduler().machine_domain(domain);
    if constexpr (base::kHooks) request->site = task->site;
    store->add(*request);
    scope.count_in_order();
  }
  return hand_over(worker, scope, *task, footprint, attributes);
}

[[gnu::noinline]] static void wait_for_checked(Worker& worker, TaskRef task) {
  {
    const check::WaitPause pause;
    worker.wait_for(task);
  }
  const check::Pause pause;
  check::hooks().waited_for(worker.frame().children, sched::trace_id(task));
}

static void wait_apart(Worker& worker, TaskRef task) noexcept {
  const platform::ExceptionsApart apart;
  if (check::active()) [[unlikely]]
    wait_for_checked(worker, task);
  else
    worker.wait_for(task);
}

// Where the runtime has ended, its tasks have: their memory is gone.
bool is_finished(TaskRef task) noexcept {
  return task.task == nullptr || runtime::has_ended_with_runtime(task.generation) || sched::has_ended(task);
}

void wait_for(TaskRef task) {
  if (task.task == nullptr) return;
  Worker& worker = runtime::worker_for(task);
  wait_apart(worker, task);
  const sched::Scope* const scope = worker.frame().children;
  if (scope == nullptr) return;
  if (std::exception_ptr failure = scope->failure()) std::rethrow_exception(failure);
}

void* reduction_copy(Task* self, std::uint32_t index) { return TaskData::of(*self)->copy(index); }

void throw_no_result(bool is_task, const std::exception_ptr& failure) {
  if (failure != nullptr) std::rethrow_exception(failure);
  if (!is_task) throw Error("a handle that refers to no task has no result: ask the one that spawn() returned");
  throw Error(
      "the task has no result, as it has not run: it was cancelled or could not begin, of which wait() tells the cause "
      "to the thread or task that spawned it; or it was skipped, since the run goes on from a later checkpoint, which "
      "has blocks and what is kept (weir::Keep), and no results");
}

}  // namespace detail

namespace {

[[gnu::noinline]] void wait_checked(Worker& worker, sched::Scope& children) {
  {
    const check::WaitPause pause;
    worker.wait_for_children(children);
  }
  const check::Pause pause;
  check::hooks().waited(&children);
}

// Null: no checkpoints are written or read, or this is in a task, or on another thread than the one that made the
// runtime.
runtime::Checkpointing* checkpointing_outside(Worker& worker) noexcept {
  if (worker.index() != 0 || worker.frame().outer != nullptr) return nullptr;
  return worker.scheduler().owner->checkpointing.get();
}

[[noreturn, gnu::cold]] void throw_failure(Worker& worker, const std::exception_ptr& failure) {
  if (runtime::Checkpointing* const checkpointing = checkpointing_outside(worker)) checkpointing->note_failure(failure);
  std::rethrow_exception(failure);
}

void wait_for_all_of(Worker& worker, sched::Scope& children) noexcept {
  const platform::ExceptionsApart apart;
  if (check::active()) [[unlikely]]
    wait_checked(worker, children);
  else
    worker.wait_for_children(children);
}

void wait_for_scope(Worker& worker) {
  sched::Scope* const children = worker.frame().children;
  if (children == nullptr) return;
  wait_for_all_of(worker, *children);
  SpawnScope::of(children)->forget_footprints();
  worker.scheduler().owner->kept.collect(worker.scheduler());
  if (const std::exception_ptr failure = children->take_failure()) throw_failure(worker, failure);
}

// `asked`: for a checkpoint.
void wait_in(Worker& worker, bool asked = false) {
  wait_for_scope(worker);
  if (runtime::Checkpointing* const checkpointing = checkpointing_outside(worker)) checkpointing->at_wait(asked);
}

[[noreturn, gnu::cold]] void refuse_checkpoint() {
  throw Error(
      "checkpoint() is called in a task, or by another thread than the one that made the runtime: a checkpoint is made "
      "there, when all tasks have ended");
}

}  // namespace

void Runtime::checkpoint() {
  Worker& worker = worker_of(this);
  if (worker.index() != 0 || worker.frame().outer != nullptr) refuse_checkpoint();
  wait_in(worker, true);
}
void Runtime::wait() { wait_in(worker_of(this)); }
void wait() { wait_in(worker_of(nullptr)); }

namespace {

// Its own first, whose reductions it closes.
void wait_for_all_in(Worker& worker) {
  if (worker.frame().outer != nullptr) {
    throw Error(
        "wait_all() is called inside a task, for which it would wait, too: a task waits for its children, with wait()");
  }
  if (sched::Scope* const own = worker.frame().children) {
    const platform::ExceptionsApart apart;
    worker.wait_for_children(*own);
  }
  runtime::wait_for_all(*worker.scheduler().owner, worker);
  wait_in(worker);
}

}  // namespace

void Runtime::wait_all() { wait_for_all_in(worker_of(this)); }
void wait_all() { wait_for_all_in(worker_of(nullptr)); }

int current_worker() noexcept {
  const Worker* worker = runtime::find_this_worker();
  return worker == nullptr ? -1 : worker->index();
}

int current_domain() noexcept {
  const Worker* worker = runtime::find_this_worker();
  return worker == nullptr ? -1 : worker->domain();
}

namespace detail {

// Little of the stack is left, the program is checked, or the thread is a program's own that has used the runtime.
[[gnu::noinline]] static bool fork_push_slow(ForkHalf& half) {
  if (platform::stack_is_short()) return false;
  Worker& worker = worker_of(nullptr);
  half.owner = &worker;
  if (check::active()) return runtime::fork_checked(half, worker.frame().children);
  return worker.fork(half);
}

bool fork_push(ForkHalf& half) {
  if (!Worker::may_fork(&half)) [[unlikely]]
    return fork_push_slow(half);
  return Worker::current()->fork(half);
}

// Something else than the half was the newest item, or there was none.
[[gnu::noinline]] static bool join_slow(ForkHalf& half, Worker::Item item) noexcept {
  Worker& worker = *half.owner;
  if (!check::active()) return worker.join_slow(half, item);
  if (item != 0) worker.queues().push(item);  // a checked half is never pushed
  return runtime::join_checked(half, worker.frame().children);
}

bool fork_join_half(ForkHalf& half) noexcept {
  const Worker::Item item = half.owner->queues().deque().pop();
  return item == Worker::item_of(half) || join_slow(half, item);
}

bool stack_is_short() noexcept { return platform::stack_is_short(); }
void call_on_fresh_stack(void (*function)(void*), void* argument) noexcept {
  struct Call {
    void (*function)(void*);
    void* argument;
  } call{function, argument};
  const auto go_on = [](void* there) {
    Worker::set_current(Worker::current());  // on this stack
    static_cast<Call*>(there)->function(static_cast<Call*>(there)->argument);
  };
  platform::run_on_fresh_stack(go_on, &call);
  Worker::set_current(Worker::current());
}

int fork_width() { return runtime::this_worker().scheduler().worker_count(); }

}  // namespace detail

}  // namespace weir
