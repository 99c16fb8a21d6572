// SPDX-License-Identifier: Apache-2.0

#include "runtime/kept.hpp"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "base/mutex.hpp"
#include "runtime/own_task.hpp"
#include "sched/scheduler.hpp"

namespace weir::runtime {

using detail::TaskRef;
using sched::Task;
using sched::Worker;

namespace {

bool may_use(TaskRef task, const Kept::Object& object) {
  if (object.scope != nullptr && task.task->scope.seen() != object.scope) return false;
  return std::ranges::none_of(
      object.spared, [&](TaskRef spared) { return spared.task == task.task && spared.generation == task.generation; });
}

}  // namespace

std::vector<TaskRef> unfinished_tasks(const sched::Scheduler& scheduler) {
  std::vector<TaskRef> refs;
  scheduler.for_each_worker([&](const Worker& worker) {
    const sched::TaskHeap& heap = const_cast<Worker&>(worker).heap();
    heap.for_each_slot([&](Task& task) {
      const TaskRef ref = task.ref();
      if (ref.generation == heap.first_generation() || sched::has_ended(ref)) return;
      // The folding of a reduction waits for the thread that has spawned its members to spawn more, or to wait.
      if (name_of_own(task.invoke.seen()) == nullptr) refs.push_back(ref);
    });
  });
  return refs;
}

void Kept::keep(Object object) noexcept {
  const base::Lock lock(pending_mutex_);
  try {
    pending_.push_back(std::move(object));
  } catch (const std::bad_alloc&) {
    return;
  }
  count_.fetch_add(1);
}

// A task that could use one of them is there now: nobody can name them any more.
void Kept::begin_batch(const sched::Scheduler& scheduler) {
  {
    const base::Lock lock(pending_mutex_);
    batch_ = std::exchange(pending_, {});
  }
  if (batch_.empty()) return;
  users_ = unfinished_tasks(scheduler);
  const std::span<const Object> batch = batch_;
  std::erase_if(users_, [&](TaskRef task) {
    return std::ranges::none_of(batch, [&](const Object& object) { return may_use(task, object); });
  });
}

bool Kept::batch_has_ended() noexcept {
  while (!users_.empty() && sched::has_ended(users_.back())) users_.pop_back();
  return users_.empty();
}

void Kept::collect_slow(const sched::Scheduler& scheduler) noexcept {
  const base::Lock lock(mutex_);
  for (;;) {
    try {
      if (batch_.empty()) begin_batch(scheduler);
    } catch (const std::bad_alloc&) {  // they stay, for another time
      const base::Lock pending_lock(pending_mutex_);
      std::ranges::move(batch_, std::back_inserter(pending_));
      batch_.clear();
      return;
    }
    if (batch_.empty() || !batch_has_ended()) return;
    for (const Object& object : batch_) object.dispose(object.object);
    count_.fetch_sub(batch_.size());
    batch_.clear();
  }
}

void Kept::end() noexcept {
  const base::Lock lock(mutex_);
  const base::Lock pending_lock(pending_mutex_);
  for (const Object& object : batch_) object.dispose(object.object);
  for (const Object& object : pending_) object.dispose(object.object);
  batch_.clear();
  pending_.clear();
  count_.store(0);
}

}  // namespace weir::runtime
