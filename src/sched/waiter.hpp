// SPDX-License-Identifier: Apache-2.0

// Waiter: a worker that waits for one task; in an Edge with the low bit of the target set. On the waiter's stack.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/peer.hpp"

namespace weir::sched {

class Waiter {
 public:
  explicit Waiter(Peer& worker) noexcept : worker_(&worker) {}
  bool done() const noexcept { return done_.load(std::memory_order_acquire); }  // WAIT-1
  void notify() noexcept {
    Peer* const worker = worker_;                  // the waiter may be gone once done_ is set
    done_.store(true, std::memory_order_release);  // WAIT-1
    worker->unpark();
  }
  std::uintptr_t target() noexcept { return reinterpret_cast<std::uintptr_t>(this) | 1; }

 private:
  Peer* worker_;
  std::atomic<bool> done_{false};  // WAIT-1: release by the thread that ends the task, acquire by the waiter
};

}  // namespace weir::sched
