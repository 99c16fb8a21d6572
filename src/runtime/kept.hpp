// SPDX-License-Identifier: Apache-2.0

// Kept: what was destroyed inside a task while tasks might still use it that the task cannot wait for.
//
// A task that waited for tasks other than its children could wait for itself: they may come after it. So blocks and
// watched arrays are kept until those tasks have ended. Which these are is looked up for all that was destroyed
// meanwhile at a time, since that takes a look at every task of the runtime. One for each runtime. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "base/mutex.hpp"
#include "sched/task.hpp"

namespace weir::sched {
class Scheduler;
}

namespace weir::runtime {

class Kept {
 public:
  struct Object {
    void* object;
    void (*dispose)(void* object) noexcept;
    const sched::Scope* scope = nullptr;  // whose tasks alone may use it; null: any of the runtime
    std::vector<detail::TaskRef> spared;  // that cannot: they were there before it was
  };

  // Without memory to remember it the object is never disposed of.
  void keep(Object object) noexcept;
  // Disposes of those whose tasks have ended. Cheap when there are none.
  void collect(const sched::Scheduler& scheduler) noexcept {
    if (count_.load() != 0) [[unlikely]]
      collect_slow(scheduler);
  }
  // All tasks of the runtime have ended.
  void end() noexcept;

 private:
  void collect_slow(const sched::Scheduler& scheduler) noexcept;
  void begin_batch(const sched::Scheduler& scheduler) WEIR_REQUIRES(mutex_);
  bool batch_has_ended() noexcept WEIR_REQUIRES(mutex_);

  std::atomic<std::size_t> count_{0};  // of objects
  base::Mutex pending_mutex_;
  std::vector<Object> pending_ WEIR_GUARDED_BY(pending_mutex_);
  base::Mutex mutex_;  // before pending_mutex_
  std::vector<Object> batch_ WEIR_GUARDED_BY(mutex_);
  std::vector<detail::TaskRef> users_ WEIR_GUARDED_BY(mutex_);  // what the batch waits for
};

// The tasks of the runtime that have not ended, but for those of Weir's own. Any thread.
std::vector<detail::TaskRef> unfinished_tasks(const sched::Scheduler& scheduler);

}  // namespace weir::runtime
