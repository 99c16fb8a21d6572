// SPDX-License-Identifier: Apache-2.0

#include "runtime/spawn_hooks.hpp"

#include <algorithm>
#include <functional>

#include "data/store.hpp"
#include "sched/scheduler.hpp"
#include "sched/worker.hpp"
#include "weir/error.hpp"

namespace weir::runtime {

namespace {

data::Store& store_of(data::Request& request) noexcept { return *data::block_of(*request.uses().front().block).store; }

}  // namespace

data::Request* request_of(const sched::Task& task) noexcept {
  const sched::TaskExtra* const extra = task.note.extra();
  if (extra == nullptr || extra->hooks == nullptr) return nullptr;
  return static_cast<BlockHooks*>(extra->hooks.get())->request();
}

data::Request* request_around(const sched::Task* parent) noexcept {
  for (; parent != nullptr; parent = parent->scope->parent())
    if (data::Request* const request = request_of(*parent)) return request;
  return nullptr;
}

void SpawnHooks::add_lock(ExclusionLock* lock) {
  const auto place = std::lower_bound(locks_.begin(), locks_.end(), lock, std::less<>{});
  if (place == locks_.end() || *place != lock) locks_.insert(place, lock);
}

// Where workers move blocks themselves they do so when the task's turn to run comes, not when it becomes ready.
bool SpawnHooks::on_ready(sched::Worker& worker, sched::Task& task) noexcept {
  if (request_ == nullptr || asked_) return true;
  const Strategy strategy = worker.scheduler().options().strategy;
  if (strategy == Strategy::off || strategy == Strategy::inline_) return true;
  return task.scope->failed() || ask_for_blocks(worker, task);
}

// The task may run elsewhere, and be gone, before this returns false.
bool SpawnHooks::ask_for_blocks(sched::Worker& worker, sched::Task& task) {
  asked_ = true;
  const int wanted = task.note.extra()->domain;
  const int domain = worker.scheduler().machine_domain(wanted < 0 ? worker.domain() : wanted);
  return store_of(*request_).ready(*request_, worker.index(), domain);
}

bool SpawnHooks::begin_blocks(sched::Worker& worker, sched::Task& task) {
  if (!asked_) {
    if (task.scope->failed()) return true;  // it will not run
    if (!ask_for_blocks(worker, task)) return false;
  }
  if (!store_of(*request_).try_begin(*request_)) return false;
  if (!request_->failure) task.scope->fail(std::make_exception_ptr(Error(request_->failure.message)));
  return begun_ = true;
}

bool SpawnHooks::try_begin(sched::Worker& worker, sched::Task& task) noexcept {
  if (request_ != nullptr && !begun_ && !begin_blocks(worker, task)) return false;
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
bool SpawnHooks::acquire(sched::Worker& worker, sched::Task& task, ExclusionLock& lock) noexcept {
  if (worker.track() == nullptr) [[likely]]
    return lock.acquire(task);
  end_lock_wait(worker, task);
  lock_wait_since_ = trace::Track::now();
  lock_holder_ = lock.holder_name();
  if (!lock.acquire(task)) return false;
  lock_wait_since_ = 0;
  return true;
}

void SpawnHooks::end_lock_wait(sched::Worker& worker, sched::Task& task) noexcept {
  const std::uint64_t since = std::exchange(lock_wait_since_, 0);
  if (since == 0) return;
  worker.track()->data_wait(since, trace::Track::now(), sched::trace_id(task.ref()), trace::DataWait::lock,
                            lock_holder_);
}

void SpawnHooks::end(sched::Worker& worker, sched::Task&) noexcept {
  if (request_ != nullptr) store_of(*request_).finish(*request_);
  for (const Reduction& r : reductions_) {
    if (r.copy != nullptr) r.group->give_back(r.copy);
  }
  for (ExclusionLock* lock : locks_) {
    if (sched::Task* heir = lock->release()) {
      ++static_cast<SpawnHooks*>(heir->note.extra()->hooks.get())->acquired_;
      worker.submit(heir);
    }
  }
}

}  // namespace weir::runtime
