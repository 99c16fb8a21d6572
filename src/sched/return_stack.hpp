// SPDX-License-Identifier: Apache-2.0

// ReturnStack: what is lent to other threads comes back to its owner through it, in one step each.
//
// Others push, the owner takes all: no thread takes a single one from what others push to, hence no ABA (Treiber, 1986,
// without his pop). RETURN-1: docs/protocols/heap.md
#pragma once

#include <atomic>
#include <utility>

#include "base/layout.hpp"
#include "platform/prefetch.hpp"

namespace weir::sched {

// T has a `T* next`, which is the stack's while a T is in it. It is made by new; what is in it ends with the stack.
template <class T>
class ReturnStack {
 public:
  ReturnStack() = default;
  ~ReturnStack() {
    destroy(taken_);
    destroy(pushed_.load(std::memory_order_relaxed));  // relaxed: nobody pushes any more
  }
  ReturnStack(const ReturnStack&) = delete;
  ReturnStack& operator=(const ReturnStack&) = delete;

  // Any thread.
  void push(T* item) noexcept {
    T* head = pushed_.load(std::memory_order_relaxed);  // relaxed: the exchange says whether it still is
    do {
      item->next = head;
    } while (
        !pushed_.compare_exchange_weak(head, item, std::memory_order_release, std::memory_order_relaxed));  // RETURN-1
  }

  // Owner only. The one that came back last among those taken before, or null. The lines of the one that comes next are
  // asked for: it was last in the cache of another core.
  [[nodiscard]] T* pop() noexcept {
    if (taken_ == nullptr) take();
    if (taken_ == nullptr) return nullptr;
    T* const item = std::exchange(taken_, taken_->next);
    if (taken_ == nullptr) take();
    if (taken_ != nullptr) platform::prefetch_to_write(taken_, sizeof(T));
    return item;
  }
  // Owner only. What pop() gives next; null: not known yet.
  [[nodiscard]] const T* next() const noexcept { return taken_; }

 private:
  void take() noexcept {
    if (pushed_.load(std::memory_order_relaxed) == nullptr) return;  // what is missed now is found by the next pop()
    taken_ = pushed_.exchange(nullptr, std::memory_order_acquire);   // RETURN-1
  }
  static void destroy(T* item) noexcept {
    while (item != nullptr) delete std::exchange(item, item->next);
  }

  T* taken_ = nullptr;  // owner's
  alignas(base::kDestructiveSize) std::atomic<T*> pushed_{nullptr};
};

}  // namespace weir::sched
