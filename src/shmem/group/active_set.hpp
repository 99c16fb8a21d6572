// SPDX-License-Identifier: Apache-2.0

// Active sets: the groups of the older collectives, named by PE_start, logPE_stride, PE_size and the pSync that all
// members pass.
//
// A group is made at the first collective with these four, and kept: each PE notes in a list in symmetric memory which
// of its areas serves which set, and the members look one another up there. pSync only names the set; it is never
// written, and so always has the values that the program has given it.
#pragma once

#include "shmem/group/group.hpp"

namespace weir::shmem {

struct ActiveSet {
  int start = 0, log_stride = 0, size = 0;
  const long* psync = nullptr;
};

// This PE is a member. The first time with these four, it waits until all members have come as far. Any thread, for
// different sets. Ends the program for PEs that there are not, when this PE is not among them, and when pSync is not
// symmetric.
Group& group_of(const ActiveSet& set);

// For close_groups().
void close_active_sets();

}  // namespace weir::shmem
