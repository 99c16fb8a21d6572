// SPDX-License-Identifier: Apache-2.0

// An asymmetric barrier: one side pays for both, so that the side on the hot path pays nothing.
//
// Two threads that each store one thing and then read the other's need a full barrier between the store and the load,
// or both may miss what the other wrote. When one side is rare, it calls heavy_barrier(), which makes every running
// thread of the process pass a full barrier (Linux membarrier(2), private expedited); the frequent side calls
// light_barrier(), which then only keeps the compiler from reordering. Where the kernel offers no membarrier (a
// seccomp filter, another system), both are ordinary full barriers: slower, equally right.
#pragma once

#include <atomic>

namespace weir::platform {

namespace detail {
extern const bool kHasMembarrier;
void full_barrier() noexcept;
}  // namespace detail

// After a store and before a load of what the other side stores. Cost: one load and one branch.
inline void light_barrier() noexcept {
  if (detail::kHasMembarrier) [[likely]] {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    detail::full_barrier();
  }
}

// Whether light_barrier() is for the compiler alone; the same for the life of the process once main() runs.
inline bool light_barrier_is_free() noexcept { return detail::kHasMembarrier; }

// The counterpart. Cost: a system call and an interrupt of the process's running threads, microseconds.
void heavy_barrier() noexcept;

// Orders memory for other processes, which membarrier(2) does not reach, and also plain stores before and after it:
// what was stored before it is seen everywhere before anything that follows is stored or loaded. ThreadSanitizer knows
// nothing of it. Cost: as an atomic addition that nobody else does.
inline void memory_barrier() noexcept {
#if defined(__x86_64__)
  asm volatile("lock orq $0, (%%rsp)" : : : "memory", "cc");
#elif defined(__aarch64__)
  asm volatile("dmb ish" : : : "memory");
#else
  detail::full_barrier();
#endif
}

// Of stores only: those before it are seen before those after it. Cost: on x86 none.
inline void store_barrier() noexcept {
#if defined(__x86_64__)
  asm volatile("" : : : "memory");
#elif defined(__aarch64__)
  asm volatile("dmb ishst" : : : "memory");
#else
  detail::full_barrier();
#endif
}

}  // namespace weir::platform
