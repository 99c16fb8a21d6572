// Overflow: what a worker's deque had no room for, in batches of its oldest tasks.
//
// The owner puts batches in, and takes the newest back when its deque is empty; others take the oldest, which leaves
// the deque, at which the owner is, alone. Any thread may call anything. A batch is an array: who takes it asks for the
// lines of its tasks at once, where a list would have to be followed line by line. A lock, which is taken once a batch.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include "base/layout.hpp"
#include "sched/steal_deque.hpp"

namespace weir::sched {

class alignas(base::kDestructiveSize) Overflow {
 public:
  struct Batch {
    std::uint32_t count = 0;
    StealDeque::Batch items;  // oldest first
  };

  bool empty() const noexcept { return size_.load(std::memory_order_acquire) == 0; }

  void put(const Batch& batch) noexcept {
    const std::lock_guard lock(mutex_);
    batches_.push_back(batch);
    // INBOX-1: stored before the caller's light_barrier(), read after a sleeper's heavy_barrier().
    size_.store(batches_.size(), std::memory_order_release);
  }

  // False: there is none.
  [[nodiscard]] bool take_newest(Batch& out) noexcept { return take(out, true); }
  [[nodiscard]] bool take_oldest(Batch& out) noexcept { return take(out, false); }

 private:
  bool take(Batch& out, bool newest) noexcept {
    if (empty()) return false;
    const std::lock_guard lock(mutex_);
    if (batches_.empty()) return false;
    out = newest ? batches_.back() : batches_.front();
    newest ? batches_.pop_back() : batches_.pop_front();
    size_.store(batches_.size(), std::memory_order_release);
    return true;
  }

  std::atomic<std::size_t> size_{0};  // written under mutex_
  std::mutex mutex_;
  std::deque<Batch> batches_;  // guarded by mutex_
};

}  // namespace weir::sched
