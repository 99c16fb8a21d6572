// SPDX-License-Identifier: Apache-2.0

// Where a partition's pages shall be, and whether there is that much memory.
#pragma once

#include <cstdint>
#include <vector>

#include "shmem/heap/plan.hpp"

namespace weir::shmem {

// The kernel's numbers of the nodes: none when any memory will do. Ends the program when the machine has no such memory
// or, for a mandatory one, not as much free as the PEs of this host want together.
std::vector<int> nodes_for(const PartitionPlan& plan);

// Collective, the same answer on all PEs: whether `more` bytes on every PE can be had from the hosts' memory. Small
// ones are asked for when they add up to 64 MiB.
bool is_there_memory_for(std::size_t more);

}  // namespace weir::shmem
