// SPDX-License-Identifier: Apache-2.0

// Source and dest that overlap (WEIR_CHECK=1). Any thread.
#pragma once

#include <cstddef>

#include "shmem/world/world.hpp"

namespace weir::shmem {

// Bytes that two ranges have in common.
std::size_t bytes_in_both(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) noexcept;

// For puts and gets, in the long way that they all take while World::is_checked: ends the program when both sides have
// bytes in common in this process's memory, and are not the same. `symmetric` is the side of the PE.
void check_copy_slow(const void* symmetric, const void* local, std::size_t bytes, int pe);
inline void check_copy(const void* symmetric, const void* local, std::size_t bytes, int pe) {
  if (world().is_checked) check_copy_slow(symmetric, local, bytes, pe);
}

}  // namespace weir::shmem
