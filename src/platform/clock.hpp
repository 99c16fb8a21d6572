// SPDX-License-Identifier: Apache-2.0

// Monotonic time for spinning and statistics, the cheapest clock there is for traces, and the processor's hint that it
// spins. Any thread.
#pragma once

#include <chrono>
#include <cstdint>

namespace weir::platform {

inline std::uint64_t now_ns() noexcept {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

// True where the processor's counter runs at one pace on all cores, whatever their frequency; set before main().
extern const bool kTicksAreCycles;

// Ticks of unknown length, the same for all threads: compare two pairs of ticks() and now_ns() to convert them.
// Budget: 10 ns where kTicksAreCycles; else that of now_ns().
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  if (kTicksAreCycles) [[likely]]
    return __builtin_ia32_rdtsc();
  return now_ns();
#elif defined(__aarch64__)
  std::uint64_t count = 0;
  asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(count) : : "memory");  // isb: not before what was to be timed
  return count;
#else
  return now_ns();
#endif
}

inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" : : : "memory");  // waits about as long as x86's pause; yield is no more than a nop on most cores
#endif
}

}  // namespace weir::platform
