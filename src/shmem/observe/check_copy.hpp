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

// `count` blocks of `bytes` each, from each one's start `step` bytes to the next one's; as this process maps them.
struct StridedBlocks {
  const void* first = nullptr;
  std::ptrdiff_t step = 0;  // may be 0 or negative
  std::size_t bytes = 0, count = 0;
};
// For strided puts and gets while World::is_checked: ends the program when a block of dest and one of source have bytes
// in common, unless they are the same block with the same number and may be. As many blocks on both sides; cost: one
// pass over them.
void check_blocks(const StridedBlocks& dest, const StridedBlocks& source, bool may_be_same = true);

}  // namespace weir::shmem
