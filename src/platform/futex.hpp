// SPDX-License-Identifier: Apache-2.0

// A thread's place to sleep: park() until somebody calls unpark(). Linux futex.
//
// An unpark() that comes first is kept, once, as a token that the next park() takes without sleeping: no wake-up is
// lost between a last look at the queues and the sleep. One thread parks; any thread unparks.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::platform {

class Parker {
 public:
  // Owner only. Returns after an unpark(), taking its token; never spuriously.
  void park() noexcept;
  // Owner only. As park(), but returns after `ns` nanoseconds at the latest; whether there was an unpark().
  bool park_for(std::uint64_t ns) noexcept;
  // Any thread. Cost: one atomic exchange, and a system call when the owner sleeps.
  void unpark() noexcept;
  // Any thread; an unpark() whose token the owner has not taken yet.
  bool is_woken() const noexcept { return word_.load(std::memory_order_acquire) == kToken; }  // PARK-1

 private:
  enum : std::uint32_t { kIdle, kToken, kSleeping };
  std::atomic<std::uint32_t> word_{kIdle};  // owner: to kSleeping, to kIdle; others: to kToken
};

}  // namespace weir::platform
