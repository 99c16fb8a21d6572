// SPDX-License-Identifier: Apache-2.0

// What all groups of a program share (open.hpp): areas, nodes, the list of active sets.
#pragma once

#include <atomic>
#include <vector>

#include "shmem/group/area_pool.hpp"
#include "shmem/group/group.hpp"

namespace weir::shmem {

inline constexpr std::size_t kAreas = 1025;  // teams and active sets of a PE at one time, and the calls of the heap

// Which area of a PE serves an active set. Written before the count that covers it; never changed.
struct SetEntry {
  std::uint64_t shape = 0;  // start, log of the stride, size
  std::uint64_t psync = 0;  // where it is in symmetric memory
  std::uint64_t area = 0;
  Step last_step = 0;
};
struct SetList {
  std::atomic<std::uint64_t> count{0};
  SetEntry entries[kAreas];
};

// What a member shows of the collective that it has called, when calls are checked (matching.hpp); one for each area.
// Written by its owner, between two syncs of the group; the step is written last.
struct CallText {
  std::uint64_t key = 0;  // of what is compared: a hash
  char text[992]{};       // for people
};
struct CallSlot {
  std::atomic<std::uint64_t> step{0};
  CallText call;
};

struct Groups {
  AreaPool pool{kAreas};
  std::byte* areas = nullptr;  // this PE's, as symmetric pointers
  SetList* sets = nullptr;
  CallSlot* calls = nullptr;  // null: calls are not checked
  std::vector<int> nodes;     // of each PE of the world
  bool crowded = false;

  Area* area(std::size_t number) const noexcept { return reinterpret_cast<Area*>(areas + number * kAreaBytes); }
};

// Null while groups are not open.
Groups* groups() noexcept;

// `pes` in the order of the members, with the numbers of their areas; this PE is members[me].
Group::Setting setting_of(const std::vector<int>& pes, const std::vector<std::size_t>& area_numbers, unsigned me,
                          Step first_step);

}  // namespace weir::shmem
