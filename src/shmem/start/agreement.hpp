// SPDX-License-Identifier: Apache-2.0

// What PEs tell one another once, at the start: how large their heaps shall be, and on which processors they run.
#pragma once

#include <string>
#include <vector>

#include "shmem/heap/plan.hpp"

namespace weir::shmem {

// Collective. The plans with every size filled in, the same on all PEs: a size that nobody has asked for is the least
// of what the PEs' machines suggest. Ends the program when PEs ask for different heaps. Sets World::is_oversubscribed.
std::vector<PartitionPlan> agree(std::vector<PartitionPlan> plans);

// Collective. The name by which all PEs know the job: that of PE 0. What starts a job on several hosts may name it
// differently on each, as Hydra does. At most 255 letters.
std::string agree_on_name(const std::string& mine);

// Whether PEs that may run on these processors, each of `all` on its own set, want more of mine than there are. Pure.
bool is_oversubscribed(const std::vector<int>& mine, const std::vector<std::vector<int>>& all);

}  // namespace weir::shmem
