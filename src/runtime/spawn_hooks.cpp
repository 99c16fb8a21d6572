#include "runtime/spawn_hooks.hpp"

#include <algorithm>
#include <functional>

#include "sched/worker.hpp"

namespace weir::runtime {

void SpawnHooks::add_lock(ExclusionLock* lock) {
  const auto place = std::lower_bound(locks_.begin(), locks_.end(), lock, std::less<>{});
  if (place == locks_.end() || *place != lock) locks_.insert(place, lock);
}

bool SpawnHooks::try_begin(sched::Worker&, sched::Task& task) noexcept {
  while (acquired_ < locks_.size()) {
    if (!locks_[acquired_]->acquire(task)) return false;  // whoever hands the lock over counts it
    ++acquired_;
  }
  return true;
}

void SpawnHooks::end(sched::Worker& worker, sched::Task&) noexcept {
  for (const Reduction& r : reductions_) {
    if (r.copy != nullptr) r.group->give_back(r.copy);
  }
  for (ExclusionLock* lock : locks_) {
    if (sched::Task* heir = lock->release()) {
      ++static_cast<SpawnHooks*>(heir->note.extra()->hooks)->acquired_;
      worker.submit(heir);
    }
  }
}

}  // namespace weir::runtime
