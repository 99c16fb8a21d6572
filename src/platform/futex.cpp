// SPDX-License-Identifier: Apache-2.0

#include "platform/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace weir::platform {

void Parker::park() noexcept {
  std::uint32_t expected = kIdle;
  // PARK-1: acquire pairs with the release in unpark(): what the waker wrote before is seen after.
  if (!word_.compare_exchange_strong(expected, kSleeping, std::memory_order_acquire)) {
    word_.exchange(kIdle, std::memory_order_acquire);  // PARK-1: of the last of several unpark(), too
    return;
  }
  while (word_.load(std::memory_order_acquire) == kSleeping) {  // PARK-1
    syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, kSleeping, nullptr, nullptr, 0);
  }
  word_.exchange(kIdle, std::memory_order_acquire);  // PARK-1
}

bool Parker::park_for(std::uint64_t ns) noexcept {
  std::uint32_t expected = kIdle;
  if (word_.compare_exchange_strong(expected, kSleeping, std::memory_order_acquire)) {  // PARK-1
    const timespec time{static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
    syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, kSleeping, &time, nullptr, 0);
  }
  return word_.exchange(kIdle, std::memory_order_acquire) == kToken;  // PARK-1: one that came meanwhile is taken
}

void Parker::unpark() noexcept {
  if (word_.exchange(kToken, std::memory_order_release) == kSleeping) {  // PARK-1
    syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
}

}  // namespace weir::platform
