// SPDX-License-Identifier: Apache-2.0

// What the handles of teams stand for.
#pragma once

#include "shmem/api/entry.hpp"
#include "shmem/group/team.hpp"

namespace weir::shmem::api {

// Null for SHMEM_TEAM_INVALID.
inline Team* team_of(shmem_team_t team) noexcept {
  check_started();
  if (team == SHMEM_TEAM_WORLD) return &world_team();
  if (team == SHMEM_TEAM_SHARED) return &shared_team();
  auto* const made = reinterpret_cast<Team*>(team);
  if (made != nullptr && made->is_destroyed) [[unlikely]]
    fail_destroyed(made);
  return made;
}
// Null is SHMEM_TEAM_INVALID.
inline shmem_team_t handle_of(Team* team) noexcept {
  if (team == &world_team()) return SHMEM_TEAM_WORLD;
  if (team == &shared_team()) return SHMEM_TEAM_SHARED;
  return reinterpret_cast<shmem_team_t>(team);
}

// Null for SHMEM_TEAM_INVALID.
inline Group* group_in(shmem_team_t team) noexcept {
  Team* const object = team_of(team);
  return object == nullptr ? nullptr : &object->group;
}
inline Group& world_group() noexcept {
  check_started();
  return world_team().group;
}

// The end for the root of a broadcast that is no member.
[[noreturn]] void fail_root(int root, unsigned size) noexcept;

}  // namespace weir::shmem::api
