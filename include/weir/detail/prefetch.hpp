// SPDX-License-Identifier: Apache-2.0

// Asks for a cache line before it is needed, to write to it: it comes as this core's own. A hint; any address will do.
#pragma once

namespace weir::detail {

[[gnu::always_inline]] inline void prefetch_to_write(const void* address) noexcept {
#if defined(__x86_64__)
  // What the built-in gives is a prefetch for reading unless the program is compiled for certain processors. Those
  // that do not know the instruction ignore it.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace weir::detail
