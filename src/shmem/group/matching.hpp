// SPDX-License-Identifier: Apache-2.0

// Matching: all members of a group have called the same collective with the same arguments (WEIR_CHECK=1).
//
// Before a collective each member shows its call to the others, waits until all have shown theirs, compares, and then
// there is a sync. The program ends when calls differ, with both of them, and when PEs wait for one another in calls of
// different groups (observe/check_board.hpp). One thread at a time for a group.
#pragma once

#include <string>
#include <string_view>

#include "shmem/group/group.hpp"

namespace weir::shmem {

struct MatchedCall {
  std::string_view kind;  // "broadcast": the same for routines that may stand for one another
  std::string arguments;  // those that are the same on all members, for people; empty: none
  std::string members;    // "SHMEM_TEAM_WORLD"
  std::string compared;   // what stands for the arguments where their text differs from PE to PE; empty: the arguments
};

// The call that the program has made, for people: "shmem_barrier_all of SHMEM_TEAM_WORLD".
std::string describe(const MatchedCall& call);

void match(Group& group, const MatchedCall& call);

}  // namespace weir::shmem
