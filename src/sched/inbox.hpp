// SPDX-License-Identifier: Apache-2.0

// Inbox: a first-in first-out queue of ready tasks that any worker may take from.
//
// It holds what has no place in a worker's own deque: tasks meant for another domain, or for one worker, urgent and
// background tasks. Any thread may call anything. A lock, because none of these is the common way; `empty()` is one
// load, so that looking into an unused inbox costs nothing.
#pragma once

#include <atomic>
#include <cstddef>

#include "base/layout.hpp"
#include "base/mutex.hpp"
#include "sched/task.hpp"

namespace weir::sched {

class alignas(base::kDestructiveSize) Inbox {
 public:
  bool empty() const noexcept { return size_.load(std::memory_order_acquire) == 0; }

  void push(Task* task) noexcept {
    const base::Lock lock(mutex_);
    task->next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = task;
    last_ = task;
    // INBOX-1: stored before the caller's light_barrier(), read after a sleeper's heavy_barrier().
    size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  // The oldest task, or null.
  Task* try_pop() noexcept {
    if (empty()) return nullptr;
    const base::Lock lock(mutex_);
    Task* task = first_;
    if (task == nullptr) return nullptr;
    first_ = task->next;
    if (first_ == nullptr) last_ = nullptr;
    size_.store(size_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
    return task;
  }

 private:
  std::atomic<std::size_t> size_{0};  // INBOX-1: written under mutex_, read without it
  base::Mutex mutex_;
  Task* first_ WEIR_GUARDED_BY(mutex_) = nullptr;
  Task* last_ WEIR_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace weir::sched
