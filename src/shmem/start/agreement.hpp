// SPDX-License-Identifier: Apache-2.0

// What PEs tell one another once, at the start: how large their heaps shall be, and on which processors they run.
#pragma once

#include <vector>

#include "shmem/heap/plan.hpp"

namespace weir::shmem {

// Collective. The plans with every size filled in, the same on all PEs: a size that nobody has asked for is the least
// of what the PEs' machines suggest. Ends the program when PEs ask for different heaps. Sets World::is_oversubscribed.
std::vector<PartitionPlan> agree(std::vector<PartitionPlan> plans);

// Whether PEs that may run on these processors, each of `all` on its own set, want more of mine than there are. Pure.
bool is_oversubscribed(const std::vector<int>& mine, const std::vector<std::vector<int>>& all);

}  // namespace weir::shmem
