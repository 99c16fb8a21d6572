// SPDX-License-Identifier: Apache-2.0

// Ring: the events of one thread on their way to the thread that writes them to the file.
//
// One thread pushes (or several in turn, under a lock of theirs), one drains; dropped() and pushed() may be read by
// any. A full ring drops what is pushed, and counts it: it never waits. docs/protocols/trace.md.
//
// TRACE-1  push() writes an event, then releases head_; the drainer acquires head_ before it reads the event.
// TRACE-2  consume() releases tail_ when it has read; push() acquires tail_ before it writes over.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/layout.hpp"
#include "trace/event.hpp"

namespace weir::trace {

class Ring {
 public:
  static constexpr std::size_t kCapacity = std::size_t{1} << 16;  // docs/tuning/trace.md#rings-of-events

  explicit Ring(std::size_t capacity = kCapacity)
      : mask_(capacity - 1), slots_(std::make_unique_for_overwrite<Event[]>(capacity)) {}

  // The producer. Budget: 4 stores of the event, 1 ordered store, 1 branch.
  void push(const Event& event) noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);  // relaxed: only we write it
    if (head - seen_tail_ > mask_) [[unlikely]] {
      if (!look_again(head)) return;
    }
    slots_[head & mask_] = event;
    head_.store(head + 1, std::memory_order_release);  // TRACE-1
  }

  // Several that stay together: all of them or, where there is no room for all, none (false).
  bool push_all(std::span<const Event> events) noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);  // relaxed: only we write it
    if (head - seen_tail_ + events.size() > mask_ + 1) [[unlikely]] {
      if (!look_again(head, events.size())) return false;
    }
    for (std::size_t i = 0; i < events.size(); ++i) slots_[(head + i) & mask_] = events[i];
    head_.store(head + events.size(), std::memory_order_release);  // TRACE-1
    return true;
  }

  // The drainer: the oldest events that lie side by side; empty when there are none. They stay until consume().
  std::span<const Event> readable() const noexcept {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);  // relaxed: only we write it
    const std::uint64_t head = head_.load(std::memory_order_acquire);  // TRACE-1
    const std::size_t first = tail & mask_;
    return {slots_.get() + first, std::min<std::size_t>(head - tail, mask_ + 1 - first)};
  }
  void consume(std::size_t count) noexcept {
    tail_.store(tail_.load(std::memory_order_relaxed) + count, std::memory_order_release);  // TRACE-2
  }

  // Relaxed: statistics while the producer runs, exact when it has ended.
  std::uint64_t pushed() const noexcept { return head_.load(std::memory_order_relaxed); }
  std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  [[gnu::noinline]] bool look_again(std::uint64_t head, std::size_t wanted = 1) noexcept {
    seen_tail_ = tail_.load(std::memory_order_acquire);  // TRACE-2
    if (head - seen_tail_ + wanted <= mask_ + 1) return true;
    dropped_.store(dropped_.load(std::memory_order_relaxed) + wanted, std::memory_order_relaxed);
    return false;
  }

  // Read-only.
  const std::uint64_t mask_;
  const std::unique_ptr<Event[]> slots_;

  // The producer.
  alignas(base::kDestructiveSize) std::atomic<std::uint64_t> head_{0};
  std::uint64_t seen_tail_ = 0;
  std::atomic<std::uint64_t> dropped_{0};

  // The drainer.
  alignas(base::kDestructiveSize) std::atomic<std::uint64_t> tail_{0};
};

}  // namespace weir::trace
