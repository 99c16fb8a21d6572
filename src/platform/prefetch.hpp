// SPDX-License-Identifier: Apache-2.0

// Asks for cache lines before they are needed. Hints; any address will do.
#pragma once

#include <cstddef>

#include "base/layout.hpp"
#include "weir/detail/prefetch.hpp"

namespace weir::platform {

// One line, which comes as this core's own.
using weir::detail::prefetch_to_write;

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
