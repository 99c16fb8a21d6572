// SPDX-License-Identifier: Apache-2.0

#include "runtime/own_task.hpp"

#include <memory>

#include "runtime/reduction.hpp"
#include "sched/worker.hpp"

namespace weir::runtime {

void run_join(void*, sched::Task*, detail::Invoke) {}

// On a track of its own thread alone: what completes the task may be a thread that has none.
void run_completed(void* closure, sched::Task*, detail::Invoke what) {
  const CompletionTimes& times = *static_cast<const CompletionTimes*>(closure);
  sched::Worker* const worker = sched::Worker::current();
  if (times.begun == 0 || what == detail::Invoke::describe || worker == nullptr || worker->track() == nullptr) return;
  worker->track()->data_wait(times.begun, times.completed, times.task, trace::DataWait::completion);
}

// When the scope has failed, the copies are dropped, not folded.
void run_fold(void* closure, sched::Task*, detail::Invoke what) {
  const std::unique_ptr<ReductionGroup> group(*static_cast<ReductionGroup**>(closure));
  if (what == detail::Invoke::run) group->fold();
}

namespace {

void run_refused(void* closure, sched::Task* task, detail::Invoke what) {
  const auto invoke = reinterpret_cast<detail::InvokeFunction>(const_cast<void*>(task->site.seen()));
  invoke(closure, task, what == detail::Invoke::run ? detail::Invoke::destroy : what);
}

}  // namespace

void refuse(sched::Task& task) noexcept {
  task.site = reinterpret_cast<const void*>(task.invoke.get());
  task.invoke = &run_refused;
  if (task.note.is_held()) static_cast<void>(task.note.let_go());  // nobody will
}

const char* name_of_own(detail::InvokeFunction invoke) noexcept {
  if (invoke == &run_join) return "the end of several tasks";
  if (invoke == &run_completed) return "a Completion";
  return invoke == &run_fold ? "the folding of a reduction" : nullptr;
}

const char* own_waits_for(detail::InvokeFunction invoke) noexcept {
  if (invoke == &run_completed) return "the program to call complete()";
  return "the thread that spawned them to spawn more, or to wait";
}

}  // namespace weir::runtime
