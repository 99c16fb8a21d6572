// SPDX-License-Identifier: Apache-2.0

// Looker: a thread that looks at what waits in a runtime, as `weir explain` does, again and again.
#pragma once

#include <atomic>
#include <thread>

#include "runtime/explaining.hpp"
#include "weir/runtime.hpp"

namespace weir::stress {

// Waits for the runtime's tasks and ends before the runtime does. `looks` false: nobody looks, and nothing is waited
// for.
class Looker {
 public:
  Looker(Runtime& runtime, bool looks) : runtime_(runtime) {
    if (looks) thread_ = std::thread([this] { look(); });
  }
  ~Looker() {
    if (!thread_.joinable()) return;
    runtime_.wait();
    done_.store(true, std::memory_order_release);
    thread_.join();
  }
  Looker(const Looker&) = delete;
  Looker& operator=(const Looker&) = delete;

 private:
  void look() {
    auto& explaining = *detail::RuntimeAccess::state(runtime_)->explaining;
    while (!done_.load(std::memory_order_acquire)) static_cast<void>(explaining.look());
  }

  Runtime& runtime_;
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace weir::stress
