// SPDX-License-Identifier: Apache-2.0

// The symmetric heap: allocations that lie at the same offset on every PE, in the heap or in a partition of a tier.
//
// Collective over the world, one at a time: all PEs call the same with the same arguments. Books are equal on all PEs,
// so nothing is sent but the barrier that ends an allocation and begins a release. Null: no room, on every PE alike.
#pragma once

#include <cstddef>

namespace weir::shmem {

// Values as in shmem.h; a partition is asked for in the bits from kPartitionShift on: SHMEMX_MALLOC_PARTITION(n).
enum MallocHints : long { kAtomicsRemote = 1, kSignalRemote = 2, kNoBarrier = 4 };
inline constexpr int kPartitionShift = 8;

// 0 bytes: null, without a barrier. Aligned for any type, at least to 64 bytes. Not cleared.
void* allocate(std::size_t bytes);
// Null when count * bytes is 0 or more than there can be.
void* allocate_cleared(std::size_t count, std::size_t bytes);
// Null when `alignment` is no power of two, or for 0 bytes. How large it may be: the largest power of two within the
// heap, where every PE has addresses for that.
void* allocate_aligned(std::size_t alignment, std::size_t bytes);
// Keeps the contents; `data` stays as it is when it returns null for want of room. Grows where it is when what follows
// is free; moves into room that includes its own when there is no other. Null `data`: allocate(); 0 bytes: release(),
// null.
void* reallocate(void* data, std::size_t bytes);
// Null: nothing. Ends the program for what is no allocation.
void release(void* data);
// Whether release() would take it.
bool is_allocation(const void* data);
// What an address is to the heap and its partitions.
enum class BlockState {
  allocation,   // release() takes it
  inside,       // of an allocation, and not its first byte
  free,         // no byte of an allocation: never given, or freed
  not_in_heap,  // or null
};
BlockState block_at(const void* data);
// Null for a partition that there is not. Hints with bits that mean nothing here are no hints: as allocate(). With
// kNoBarrier it has none at its end: others may not have allocated yet.
void* allocate_with_hints(std::size_t bytes, long hints);

}  // namespace weir::shmem
