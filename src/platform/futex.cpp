#include "platform/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir::platform {

void Parker::park() noexcept {
  std::uint32_t expected = kIdle;
  // PARK-1: acquire pairs with the release in unpark(): what the waker wrote before is seen after.
  if (!word_.compare_exchange_strong(expected, kSleeping, std::memory_order_acquire)) {
    word_.store(kIdle, std::memory_order_relaxed);  // there was a token, and only we take tokens
    return;
  }
  while (word_.load(std::memory_order_acquire) == kSleeping) {  // PARK-1
    syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, kSleeping, nullptr, nullptr, 0);
  }
  word_.store(kIdle, std::memory_order_relaxed);
}

void Parker::unpark() noexcept {
  if (word_.exchange(kToken, std::memory_order_release) == kSleeping) {  // PARK-1
    syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }
}

}  // namespace weir::platform
