// SPDX-License-Identifier: Apache-2.0

// What WEIR_CHECK=1 adds to the routines: arguments that the specification forbids and that do harm only later or
// elsewhere, and collectives that do not match. Called only while World::is_checked.
#pragma once

#include <cstddef>
#include <string>

#include "shmem/api/together.hpp"
#include "shmem/group/active_set.hpp"
#include "shmem/group/collective.hpp"

namespace weir::shmem::api {

// Whether calls are checked: one test and a branch that is not taken.
inline bool is_checked() noexcept { return __builtin_expect(static_cast<long>(world().is_checked), 0) != 0; }

// Whose collective it is: a team's, or an active set's.
struct Members {
  shmem_team_t team = SHMEM_TEAM_INVALID;
  const ActiveSet* set = nullptr;  // null: the team's
};
// What a collective works on.
struct Data {
  const void* dest = nullptr;
  const void* source = nullptr;
  std::size_t nelems = 0;
  std::size_t element = 1;  // bytes of one
};

// pSync is symmetric, and SHMEM_SYNC_VALUE; and the call is shown to those with whom the set is made. Before
// group_of().
void check_set(const ActiveSet& set, const char* kind);

// Before the collectives: arrays are symmetric and do not overlap, and all members have made the same call.
void check_call(Group& group, const Members& members, const char* kind, std::string arguments = {});
void check_broadcast(Group& group, const Members& members, const Data& data, int root);
void check_collect(Group& group, const Members& members, const Data& data);  // nelems may differ
void check_fcollect(Group& group, const Members& members, const Data& data);
void check_alltoall(Group& group, const Members& members, const Data& data);
void check_alltoalls(Group& group, const Members& members, const Data& data, std::ptrdiff_t dst, std::ptrdiff_t sst);
void check_reduce(Group& group, const Members& members, const Reduction& what, const char* kind = "reduce");

// A call of the heap's: over the world.
void check_heap(const char* kind, std::string arguments);
// What is no allocation is left to the call, which names it.
void check_release(const char* kind, const void* data, const std::string& arguments = {});

}  // namespace weir::shmem::api
