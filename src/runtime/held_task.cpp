// SPDX-License-Identifier: Apache-2.0

#include "runtime/held_task.hpp"

#include "runtime/completion.hpp"
#include "runtime/runtime_state.hpp"
#include "sched/worker.hpp"

namespace weir::runtime {

namespace {

// The calling thread's, in what it runs or waits in of that scheduler; null: it runs tasks of another, or none.
sched::Worker* worker_of(const sched::Scheduler& scheduler) noexcept {
  sched::Worker* const worker = sched::Worker::current();
  return worker != nullptr && &worker->scheduler() == &scheduler ? worker : nullptr;
}

}  // namespace

bool HeldTask::try_release_here() const noexcept {
  const sched::TaskNote& note = task_->note;
  if (!note.is_prompt() || !note.is_only_held() || note.hooks() != nullptr) return false;
  sched::Worker* const worker = worker_of(task_->scope->owner()->scheduler());
  return worker != nullptr && sched::Prompt::try_run(*worker, *task_);
}

void HeldTask::release() const noexcept {
  const sched::Worker& owner = *task_->scope->owner();
  sched::Scheduler& scheduler = owner.scheduler();
  const Completing completing(*scheduler.owner);
  if (!task_->note.let_go()) return;  // EDGE-5
  if (sched::Worker* const worker = worker_of(scheduler)) return worker->submit(task_);
  scheduler.submit(*task_, owner.domain());
}

}  // namespace weir::runtime
