// SPDX-License-Identifier: Apache-2.0

// Instructions by which a program moves lines between its caches and memory, where the hardware does not: memory that
// several hosts share. Any thread.
#pragma once

#include <cstddef>
#include <span>

namespace weir::platform {

// Both take each line of [data, data + bytes), and return when that is done: no later access comes before it.
struct CacheLineInstructions {
  const char* name;
  void (*write_back)(const void* data, std::size_t bytes) noexcept;  // changed lines are in memory
  void (*invalidate)(const void* data, std::size_t bytes) noexcept;  // and in no cache: what is read next is memory
  // The most that a cache writes to memory at a time, aligned to as much: two processes that write closer together than
  // that lose what one of them wrote.
  std::size_t line_bytes;
};

// What this processor has, the cheapest first; empty: programs have no way to do it.
std::span<const CacheLineInstructions> cache_line_instructions();

}  // namespace weir::platform
