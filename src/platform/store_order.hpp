// SPDX-License-Identifier: Apache-2.0

// The order of plain stores to memory that other processes map, for copies of any size that are no atomics.
//
// Between threads of one process atomics with an order are the way (ThreadSanitizer knows those only): what publishes a
// copy is a release store besides. Any thread.
#pragma once

namespace weir::platform {

// Stores before it are seen before stores after it. Budget: nothing on x86, whose stores are in order (copies with
// streaming stores end with a fence of their own).
inline void order_stores() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  asm volatile("" : : : "memory");
#elif defined(__aarch64__)
  asm volatile("dmb ishst" : : : "memory");
#else
  __sync_synchronize();
#endif
}

// Loads and stores before it are done before those after it. Budget: 20 cycles.
inline void order_all() noexcept {
#if defined(__x86_64__)
  asm volatile("lock; orl $0, -8(%%rsp)" : : : "memory", "cc");  // half as long as mfence
#else
  __sync_synchronize();
#endif
}

}  // namespace weir::platform
