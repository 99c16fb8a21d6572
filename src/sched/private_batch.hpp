// SPDX-License-Identifier: Apache-2.0

// PrivateBatch: a few stolen items that their owner has taken from its deque at once, and takes one by one without an
// atomic step.
//
// A compare-and-swap each is a good part of what a tiny task costs. What is in the batch is not lost to others: a
// thread that has seen it lie there for long, behind a task that takes its time, takes all of it, and pays for both.
// The owner takes one at a time; any other thread takes all. BATCH-1, BATCH-2: docs/protocols/steal.md
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include "base/layout.hpp"
#include "base/mutex.hpp"
#include "platform/barrier.hpp"
#include "sched/policy/steal.hpp"
#include "sched/steal_deque.hpp"

namespace weir::sched {

class alignas(base::kDestructiveSize) PrivateBatch {
 public:
  using Item = StealDeque::Item;
  static constexpr std::uint32_t kMost = policy::kPrivateBatch;

  // Owner only.
  bool empty() const noexcept { return left() == 0; }
  std::uint32_t left() const noexcept { return left_.load(std::memory_order_relaxed); }

  // Owner only, of an empty one: what `deque` has newest, up to kMost. False: nothing, see StealDeque::pop_some().
  [[gnu::noinline]] bool fill(StealDeque& deque) noexcept {
    std::array<Item, kMost> some;
    // Before they leave the deque: a thread that looks there first, and then here, sees that there is something.
    left_.store(kFilling, std::memory_order_relaxed);
    const std::uint32_t count = deque.pop_some(some.data(), kMost);
    for (std::uint32_t i = 0; i < count; ++i) items_[i].store(some[i], std::memory_order_relaxed);
    left_.store(count, std::memory_order_release);  // BATCH-2
    return count != 0;
  }

  // Owner only. The newest, or 0. Budget: 3 loads, 1 store.
  Item take() noexcept {
    const std::uint32_t n = left_.load(std::memory_order_relaxed);  // only we write it
    if (n == 0) return 0;
    const Item item = items_[n - 1].load(std::memory_order_relaxed);
    left_.store(n - 1, std::memory_order_release);  // BATCH-2: of the others
    platform::light_barrier();                      // BATCH-1
    return wanted_.load(std::memory_order_relaxed) ? take_slow(n, item) : item;
  }

  // Any thread; the number of items of a moment ago, or more.
  std::uint32_t size() const noexcept {
    return wanted_.load(std::memory_order_relaxed) ? 0 : left_.load(std::memory_order_relaxed);
  }

  // Any thread but the owner: all that are left, oldest first; how many. Microseconds, on every running thread.
  std::uint32_t take_all(StealDeque::Batch& out) noexcept {
    const base::Lock lock(mutex_);
    if (size() == 0) return 0;  // or taken, and the owner has not looked since
    wanted_.store(true, std::memory_order_relaxed);
    platform::heavy_barrier();                       // BATCH-1
    taken_ = left_.load(std::memory_order_acquire);  // BATCH-2
    if (taken_ == kFilling) taken_ = 0;
    for (std::uint32_t i = 0; i < taken_; ++i) out[i] = items_[i].load(std::memory_order_relaxed);
    return taken_;
  }

 private:
  static constexpr std::uint32_t kFilling = kMost + 1;

  // Another thread took all, before `item`, the n-th, was taken, or after it.
  [[gnu::noinline]] Item take_slow(std::uint32_t n, Item item) noexcept {
    const base::Lock lock(mutex_);
    wanted_.store(false, std::memory_order_relaxed);
    const std::uint32_t taken = std::exchange(taken_, 0);
    if (taken != 0) left_.store(0, std::memory_order_release);
    return taken == n ? 0 : item;
  }

  std::atomic<std::uint32_t> left_{0};            // BATCH-1, BATCH-2: only the owner writes
  std::atomic<bool> wanted_{false};               // BATCH-1: written under mutex_ by who takes all, and by the owner
  std::array<std::atomic<Item>, kMost> items_{};  // owner writes: those from left_ on, and all while left_ is 0
  base::Mutex mutex_;
  std::uint32_t taken_ WEIR_GUARDED_BY(mutex_) = 0;  // of these items, the oldest; the owner has not seen it yet
};

}  // namespace weir::sched
