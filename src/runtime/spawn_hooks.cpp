#include "runtime/spawn_hooks.hpp"

#include <algorithm>
#include <functional>

#include "data/store.hpp"
#include "sched/scheduler.hpp"
#include "sched/worker.hpp"
#include "weir/error.hpp"

namespace weir::runtime {

namespace {

data::Store& store_of(data::Request& request) noexcept { return *request.uses().front().block->store; }

}  // namespace

void SpawnHooks::add_lock(ExclusionLock* lock) {
  const auto place = std::lower_bound(locks_.begin(), locks_.end(), lock, std::less<>{});
  if (place == locks_.end() || *place != lock) locks_.insert(place, lock);
}

// Where workers move blocks themselves they do so when the task's turn to run comes, not when it becomes ready.
bool SpawnHooks::on_ready(sched::Worker& worker, sched::Task& task) noexcept {
  if (request_ == nullptr || request_->state != data::RequestState::pending) return true;
  const Strategy strategy = worker.scheduler().options().strategy;
  if (strategy == Strategy::off || strategy == Strategy::inline_) return true;
  return task.scope->failed() || blocks_ready(worker, task);
}

bool SpawnHooks::blocks_ready(sched::Worker& worker, sched::Task& task) {
  const int wanted = task.note.extra()->domain;
  const int domain = worker.scheduler().machine_domain(wanted < 0 ? worker.domain() : wanted);
  return store_of(*request_).ready(*request_, worker.index(), domain);
}

bool SpawnHooks::try_begin(sched::Worker& worker, sched::Task& task) noexcept {
  if (request_ != nullptr && !task.scope->failed()) {
    if (request_->state == data::RequestState::pending && !blocks_ready(worker, task)) return false;
    if (request_->state == data::RequestState::failed) {
      task.scope->fail(std::make_exception_ptr(Error(request_->failure.message)));
    }
  }
  if (request_ != nullptr) store_of(*request_).begin(*request_);
  while (acquired_ < locks_.size()) {
    if (!locks_[acquired_]->acquire(task)) return false;  // whoever hands the lock over counts it
    ++acquired_;
  }
  return true;
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
