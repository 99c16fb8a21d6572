// SPDX-License-Identifier: Apache-2.0

// Asks for a cache line before it is needed, to write to it: it comes as this core's own. A hint; any address will do.
#pragma once

#include <cstddef>

#include "base/layout.hpp"

namespace weir::platform {

inline void prefetch_to_write(const void* address) noexcept {
#if defined(__x86_64__)
  // What the built-in gives is a prefetch for reading unless the program is compiled for certain processors. Those
  // that do not know the instruction ignore it.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

// The same to read all lines of `bytes` from `start` on, which is the start of one.
inline void prefetch_to_read(const void* start, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += base::kDestructiveSize)
    __builtin_prefetch(static_cast<const char*>(start) + at);
}

// The lines of `bytes` from `start` on, which is the start of one.
inline void prefetch_to_write(const void* start, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += base::kDestructiveSize)
    prefetch_to_write(static_cast<const char*>(start) + at);
}

}  // namespace weir::platform
