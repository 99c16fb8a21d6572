// SPDX-License-Identifier: Apache-2.0

#include "runtime/nesting.hpp"

#ifndef NDEBUG

#include <cstdio>
#include <cstdlib>
#include <unordered_map>
#include <vector>

#include "base/mutex.hpp"
#include "deps/covers.hpp"
#include "platform/held_at_fork.hpp"

namespace weir::runtime {

namespace {

// By the memory of the task. An entry is replaced when the memory is used again by a task with a footprint, and counts
// for nobody else, since generations differ.
class Footprints {
 public:
  void put(sched::TaskRef task, std::span<const Access> footprint) {
    const base::Lock lock(mutex_);
    known_[task.task] = {task.generation, {footprint.begin(), footprint.end()}};
  }
  base::Mutex& mutex() noexcept { return mutex_; }
  std::vector<Access> of(sched::TaskRef task) {
    const base::Lock lock(mutex_);
    const auto found = known_.find(task.task);
    if (found == known_.end() || found->second.generation != task.generation) return {};
    return found->second.items;
  }

 private:
  struct Known {
    std::uint64_t generation;
    std::vector<Access> items;
  };
  base::Mutex mutex_;
  std::unordered_map<const sched::Task*, Known> known_ WEIR_GUARDED_BY(mutex_);
};

Footprints& footprints() {
  static Footprints* const the_footprints = new Footprints;  // tasks may run during static destruction
  return *the_footprints;
}

[[maybe_unused]] const bool kFootprintsAtFork =
    platform::hold_at_fork([]() -> base::Mutex& { return footprints().mutex(); });

const char* name_of(const sched::Task& task) noexcept {
  const char* const name = task.note.name();
  return name != nullptr ? name : "(without a name)";
}

}  // namespace

void check_nesting(sched::Task& child, sched::Task* parent, std::span<const Access> footprint) {
  if (footprint.empty()) return;
  footprints().put(child.ref(), footprint);
  if (parent == nullptr) return;
  const std::vector<Access> allowed = footprints().of(parent->ref());
  if (allowed.empty()) return;
  for (const Access& item : footprint) {
    deps::Uncovered uncovered;
    if (deps::covers(allowed, item, &uncovered)) continue;
    std::fprintf(stderr, "weir: the footprint of task %s is not within that of its parent %s: %s\n", name_of(child),
                 name_of(*parent), deps::describe(uncovered, item).c_str());
    std::abort();
  }
}

}  // namespace weir::runtime

#endif
