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

// The counterpart. Cost: a system call and an interrupt of the process's running threads, microseconds.
void heavy_barrier() noexcept;

}  // namespace weir::platform
