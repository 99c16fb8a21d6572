// SPDX-License-Identifier: Apache-2.0

// Heaps: the partitions of this process, made at the start and given up at the end (heap.hpp has what programs call).
#pragma once

#include <string>
#include <vector>

#include "shmem/heap/plan.hpp"

namespace weir::shmem {

// Collective, at the start; every size is there, and the same on all PEs. Makes a region and a segment for each, the
// heap first, with the library's own memory (World::internal) before it. Ends the program, with the numbers, when
// memory of that kind cannot be had.
void open_heaps(const std::vector<PartitionPlan>& plans);
void close_heaps() noexcept;

// Sizes, use and where this PE's pages are, a line for each partition. For people.
std::string describe_heaps();

}  // namespace weir::shmem
