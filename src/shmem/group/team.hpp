// SPDX-License-Identifier: Apache-2.0

// Team: shmem_team_t. The group of its members, and what it was configured with.
//
// Calls that make or destroy a team are collective over the parent or the team, in the same order as its other
// collectives. Null is SHMEM_TEAM_INVALID. One thread at a time for a team's collectives; different teams on different
// threads.
#pragma once

#include <vector>

#include "shmem/group/area_pool.hpp"
#include "shmem/group/group.hpp"

namespace weir::shmem {

// shmem_team_config_t, and the bits of its masks.
struct TeamConfig {
  int num_contexts = 0;
};
inline constexpr long kTeamNumContexts = 1;

struct Team {
  Team(Group::Setting setting, const TeamConfig& settings, const AreaPool::Taken& taken)
      : group(std::move(setting)), config(settings), area(taken) {}

  Group group;
  TeamConfig config;
  AreaPool::Taken area;  // this PE's
  bool is_destroyed = false;
};

// The predefined ones. Only while groups are open (open.hpp).
inline constinit Team* everyone = nullptr;  // of open_groups(), close_groups() and world_team() alone
inline Team& world_team() noexcept { return *everyone; }
Team& shared_team() noexcept;  // those whose memory can be loaded and stored

struct Triplet {
  int start = 0, stride = 1, size = 0;  // PEs of the parent; the stride may be negative
};
struct ConfigIn {
  const TeamConfig* config = nullptr;
  long mask = 0;  // which of its fields count
};

// 0 when the team was made, also for those of the parent that are not in it, whose *made is null. Else not 0 on all:
// PEs that the parent has not, a mask with unknown bits, no parent, more teams than there is room for.
int split_strided(Team* parent, const Triplet& triplet, const ConfigIn& config, Team** made);
// Rows of `xrange` PEs, the last of them perhaps shorter, and columns.
int split_2d(Team* parent, int xrange, const ConfigIn& x_config, Team** x_team, const ConfigIn& y_config,
             Team** y_team);
// Quiets and ends the team's contexts, too. Null: nothing. Ends the program for a predefined team, and for what is no
// team.
void destroy(Team* team);
// The end for a team that was destroyed; the last ones are kept, so that who uses one still is told so.
[[noreturn]] void fail_destroyed(const Team* team) noexcept;
// Whether it is a predefined one, or was made and not destroyed.
bool is_team(const Team* team);
// The sizes of those that were made and not destroyed.
std::vector<int> team_sizes_left();
// For close_groups(): those that are left are gone.
void close_teams();

// -1 for no team.
int my_pe(const Team* team) noexcept;
int n_pes(const Team* team) noexcept;
// The number in `to` of PE `pe` of `from`; -1 when it has none, or a team is null.
int translate_pe(const Team* from, int pe, const Team* to) noexcept;
// Not 0 for no team, unknown bits, or a null `config` when the mask has bits.
int get_config(const Team* team, long mask, TeamConfig* config) noexcept;
// Null when that PE's object cannot be loaded and stored here.
void* team_ptr(const Team* team, const void* symmetric, int pe) noexcept;

}  // namespace weir::shmem
