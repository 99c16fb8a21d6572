// SPDX-License-Identifier: Apache-2.0

// Exclusion locks of commutative tasks: held while a task runs, waited for without blocking a worker.
//
// A task takes its locks one after the other in the order of their addresses, so that tasks that need several never
// wait for each other in a circle. When one is held, the task is queued at it and forgotten by the worker; whoever
// ends hands the lock to the first in the queue, which goes on from there. Any worker.
#pragma once

#include <utility>

#include "base/mutex.hpp"
#include "sched/task.hpp"

namespace weir::runtime {

class ExclusionLock {
 public:
  // For traces: the name of the task that has it, null when it has none, or nobody has it.
  const char* holder_name() noexcept {
    const base::Lock lock(mutex_);
    return holder_ == nullptr ? nullptr : holder_->note.name();
  }

  // True: the task has the lock. False: it is queued, may already be running elsewhere, and must not be touched.
  bool acquire(sched::Task& task) noexcept {
    const base::Lock lock(mutex_);
    if (holder_ == nullptr) {
      holder_ = &task;
      return true;
    }
    task.next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = &task;
    last_ = &task;
    return false;
  }

  // Any thread: f(who has it, or null). Meanwhile nobody gets or gives it; so who waits for it does not begin.
  template <class F>
  void look(F&& f) {
    const base::Lock lock(mutex_);
    f(static_cast<const sched::Task*>(holder_));
  }

  // The task that has the lock now, or null when nobody waited.
  sched::Task* release() noexcept {
    const base::Lock lock(mutex_);
    sched::Task* task = first_;
    holder_ = task;
    if (task == nullptr) return nullptr;
    first_ = task->next;
    if (first_ == nullptr) last_ = nullptr;
    return task;
  }

 private:
  base::Mutex mutex_;
  sched::Task* holder_ WEIR_GUARDED_BY(mutex_) = nullptr;
  sched::Task* first_ WEIR_GUARDED_BY(mutex_) = nullptr;
  sched::Task* last_ WEIR_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace weir::runtime
