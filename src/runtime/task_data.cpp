// SPDX-License-Identifier: Apache-2.0

#include "runtime/task_data.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "base/check.hpp"
#include "data/store.hpp"
#include "sched/scheduler.hpp"
#include "sched/worker.hpp"
#include "weir/error.hpp"

namespace weir::runtime {

// Its request lies in the same memory: a task with blocks costs one allocation.
class TaskData::WithRequest final : public TaskData {
 public:
  WithRequest() noexcept { blocks_ = &storage_; }

 private:
  Blocks storage_;
};

// All that this layer and those above give to tasks is a TaskData.
TaskData* TaskData::cast(sched::TaskHooks* hooks) noexcept {
  if (hooks == nullptr) return nullptr;
  WEIR_CHECK(hooks->kind() == sched::HooksKind::task_data, "a task has hooks that are of no layer of Weir");
  return static_cast<TaskData*>(hooks);
}

TaskData* TaskData::seen_of(const sched::Task& task) noexcept {
  const sched::TaskExtra* const extra = task.note.seen().extra();
  return extra == nullptr ? nullptr : cast(extra->hooks.seen());
}

TaskData& TaskData::made_for(sched::Task& task) {
  sched::TaskExtra& extra = sched::extra_of(task);
  if (extra.hooks == nullptr) extra.hooks = new TaskData;
  return *cast(extra.hooks);
}

TaskData& TaskData::with_request(sched::Task& task, data::Store* store, sched::Scheduler& scheduler,
                                 OnFailure failure) {
  sched::TaskExtra& extra = sched::extra_of(task);
  WEIR_CHECK(extra.hooks == nullptr, "a task is given a request twice");
  auto* const made = new WithRequest;
  extra.hooks = made;
  Blocks& blocks = *made->blocks_;
  blocks.store = store;
  blocks.scheduler = &scheduler;
  blocks.task = &task;
  blocks.on_failure = failure;
  data::Request& request = blocks.request;
  request.requester = &blocks;
  request.revocable = true;
  request.trace_id = sched::trace_id(task.ref());
  return *made;
}

data::Request* request_of(const sched::Task& task) noexcept {
  TaskData* const data = TaskData::of(task);
  return data == nullptr ? nullptr : data->request();
}

data::Request* request_around(const sched::Task* parent) noexcept {
  for (; parent != nullptr; parent = parent->scope->parent()) {
    TaskData* const data = TaskData::of(*parent);
    if (data == nullptr) continue;
    if (data::Request* const request = data->registered()) return request;
  }
  return nullptr;
}

void TaskData::add_lock(ExclusionLock* lock) {
  const auto place = std::lower_bound(locks_.begin(), locks_.end(), lock, std::less<>{});
  if (place == locks_.end() || *place != lock) locks_.insert(place, lock);
}

// What was not there when the task became ready is. It may run, and be gone, before this returns.
void TaskData::Blocks::staged(data::Request& staged_request) noexcept {
  scheduler->submit(*task, scheduler->worker(staged_request.lane).domain());
}

// Where workers move blocks themselves they do so when the task's turn to run comes, not when it becomes ready.
bool TaskData::on_ready(sched::Worker& worker, sched::Task& task) noexcept {
  if (registered() == nullptr || blocks_->asked) return true;
  const Strategy strategy = worker.scheduler().options().strategy;
  if (strategy == Strategy::off || strategy == Strategy::inline_) return true;
  return task.scope->failed() || ask_for_blocks(worker, task);
}

// The task may run elsewhere, and be gone, before this returns false.
bool TaskData::ask_for_blocks(sched::Worker& worker, sched::Task& task) {
  blocks_->asked = true;
  const int wanted = task.note.extra()->domain;
  const DomainId domain = worker.scheduler().machine_domain(wanted < 0 ? worker.domain() : wanted);
  return blocks_->store->ready(blocks_->request, worker.index(), domain);
}

bool TaskData::begin_blocks(sched::Worker& worker, sched::Task& task) {
  if (!blocks_->asked) {
    if (task.scope->failed()) return true;  // it will not run
    if (!ask_for_blocks(worker, task)) return false;
  }
  data::Request& request = blocks_->request;
  if (!blocks_->store->try_begin(request)) return false;
  if (!request.failure && blocks_->on_failure == OnFailure::fail_scope)
    task.scope->fail(std::make_exception_ptr(Error(request.failure.message)));
  return blocks_->begun = true;
}

bool TaskData::try_begin(sched::Worker& worker, sched::Task& task) noexcept {
  if (registered() != nullptr && !blocks_->begun && !begin_blocks(worker, task)) return false;
  if (lock_wait_since_ != 0) end_lock_wait(worker, task);
  while (acquired_ < locks_.size()) {
    waits_at_ = locks_[acquired_];
    if (!acquire(worker, task, *locks_[acquired_])) return false;  // whoever hands the lock over counts it
    ++acquired_;
  }
  waits_at_ = nullptr;
  return true;
}

// Recorded before: a task that is queued at a lock may run elsewhere at once. What it has noted is told when it has the
// next lock, or all of them.
bool TaskData::acquire(sched::Worker& worker, sched::Task& task, ExclusionLock& lock) noexcept {
  if (worker.track() == nullptr) [[likely]]
    return lock.acquire(task);
  end_lock_wait(worker, task);
  lock_wait_since_ = trace::Track::now();
  lock_holder_ = lock.holder_name();
  if (!lock.acquire(task)) return false;
  lock_wait_since_ = 0;
  return true;
}

void TaskData::end_lock_wait(sched::Worker& worker, sched::Task& task) noexcept {
  const std::uint64_t since = std::exchange(lock_wait_since_, 0);
  if (since == 0) return;
  worker.track()->data_wait(since, trace::Track::now(), sched::trace_id(task.ref()), trace::DataWait::lock,
                            lock_holder_);
}

void TaskData::finish() noexcept {
  if (registered() == nullptr) return;
  blocks_->store->finish(blocks_->request);
  blocks_->request.sequence = 0;
}

void TaskData::end(sched::Worker& worker, sched::Task&) noexcept {
  finish();
  for (const Reduction& r : reductions_) {
    if (r.copy != nullptr) r.group->give_back(r.copy);
  }
  for (ExclusionLock* lock : locks_) {
    if (sched::Task* heir = lock->release()) {
      ++of(*heir)->acquired_;
      worker.submit(heir);
    }
  }
}

}  // namespace weir::runtime
