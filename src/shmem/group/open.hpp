// SPDX-License-Identifier: Apache-2.0

// Groups of a program: its predefined teams, the memory of all groups, and what is cached between collectives.
#pragma once

#include "shmem/group/active_set.hpp"
#include "shmem/group/collective.hpp"
#include "shmem/group/team.hpp"

namespace weir::shmem {

// Collective over the world, once the memory is symmetric: takes internal memory, finds which PEs share a node.
void open_groups();
// After the last collective of all PEs, before the memory goes. Teams that are left are gone.
void close_groups();

// All PEs, for calls of the heap. Only while groups are open.
Group& heap_group() noexcept;

// Also all that this PE has issued on the default context is done when it returns.
void barrier(Group& group);
// The same where calls are not recorded.
void barrier_unrecorded(Group& group);

}  // namespace weir::shmem
