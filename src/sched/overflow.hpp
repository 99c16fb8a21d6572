// SPDX-License-Identifier: Apache-2.0

// Overflow: what a worker's deque had no room for, in batches of its oldest items.
//
// The owner puts batches in, and takes the newest back when its deque is empty; others take the oldest, which leaves
// the deque, at which the owner is, alone. A lock, which is taken once a batch and held for a few instructions: what
// changes hands is a pointer. A batch is an array: who takes it asks for the lines of its tasks at once, where a list
// would have to be followed line by line; and batches are used again, so that the owner can ask for the lines of the
// next one while it still makes tasks. docs/protocols/steal.md
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "base/layout.hpp"
#include "base/mutex.hpp"
#include "sched/return_stack.hpp"
#include "sched/steal_deque.hpp"

namespace weir::sched {

class alignas(base::kDestructiveSize) Overflow {
 public:
  static constexpr std::size_t kMostAtOnce = 8;  // batches that a thief takes

  struct alignas(base::kDestructiveSize) Batch {
    StealDeque::Batch items;  // oldest first
    std::uint32_t count = 0;
    Overflow* home = nullptr;
    Batch* next = nullptr;  // of those that are empty
  };

  Overflow() = default;
  ~Overflow() {
    for (Batch* batch : batches_) delete batch;
  }
  Overflow(const Overflow&) = delete;
  Overflow& operator=(const Overflow&) = delete;

  // Any thread.
  bool empty() const noexcept { return size_.load(std::memory_order_acquire) == 0; }

  // Owner only. To be filled, and put. No memory for it: the end, as the tasks would have no place to go.
  Batch* empty_batch() noexcept {
    if (Batch* const batch = empty_.pop()) return batch;
    auto* const made = new Batch;
    made->home = this;
    return made;
  }

  // Owner only.
  void put(Batch* batch) noexcept {
    const base::Lock lock(mutex_);
    batches_.push_back(batch);
    // INBOX-1: stored before the caller's light_barrier(), read after a sleeper's heavy_barrier().
    size_.store(batches_.size(), std::memory_order_release);
  }

  // Any thread. To be given back when its items have been taken; null: there is none.
  [[nodiscard]] Batch* take_newest() noexcept {
    if (empty()) return nullptr;
    const base::Lock lock(mutex_);
    if (batches_.empty()) return nullptr;
    Batch* const batch = batches_.back();
    batches_.pop_back();
    size_.store(batches_.size(), std::memory_order_release);
    return batch;
  }
  // Any thread. The same of the oldest: up to half of them, how many.
  [[nodiscard]] std::size_t take_oldest(std::array<Batch*, kMostAtOnce>& out) noexcept {
    if (empty()) return 0;
    const base::Lock lock(mutex_);
    const std::size_t n = std::min((batches_.size() + 1) / 2, kMostAtOnce);
    std::copy_n(batches_.begin(), n, out.begin());
    batches_.erase(batches_.begin(), batches_.begin() + static_cast<std::ptrdiff_t>(n));
    size_.store(batches_.size(), std::memory_order_release);
    return n;
  }

  // Any thread.
  static void give_back(Batch* batch) noexcept { batch->home->empty_.push(batch); }

 private:
  std::atomic<std::size_t> size_{0};  // INBOX-1: written under mutex_, read without it
  base::Mutex mutex_;
  std::deque<Batch*> batches_ WEIR_GUARDED_BY(mutex_);  // oldest first

  ReturnStack<Batch> empty_;
};

}  // namespace weir::sched
