// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/open.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "shmem/group/groups.hpp"
#include "shmem/group/world_reach.hpp"
#include "shmem/observe/check_board.hpp"
#include "shmem/rma/context.hpp"
#include "shmem/world/address.hpp"

namespace weir::shmem {
namespace {

// The library's own variables may lie in memory that moves at start: constant-initialised, and set after it.
constinit Groups* opened = nullptr;
constinit Team* neighbours = nullptr;
constinit Team* users_of_the_heap = nullptr;

// What a PE says at the start: the first PE of its node, and whether its node has more PEs than processors.
struct Said {
  std::int32_t first = 0, is_crowded = 0;
};

std::vector<Said> gather_nodes() {
  const World& w = world();
  Said mine{0, w.is_oversubscribed ? 1 : 0};
  while (internal(mine.first) == nullptr) ++mine.first;
  std::vector<Said> all(static_cast<std::size_t>(w.n_pes));
  check(w.transport->all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all))));
  return all;
}

Team* predefined_team(const std::vector<int>& pes) {
  const AreaPool::Taken area = *opened->pool.take();
  const auto me = static_cast<unsigned>(std::find(pes.begin(), pes.end(), world().my_pe) - pes.begin());
  const std::vector<std::size_t> numbers(pes.size(), area.number);  // the same on all: they are the first to be taken
  return new Team(setting_of(pes, numbers, me, 0), TeamConfig{}, area);
}

}  // namespace

Groups* groups() noexcept { return opened; }

Team& shared_team() noexcept { return *neighbours; }

Group& heap_group() noexcept { return users_of_the_heap->group; }

Group::Setting setting_of(const std::vector<int>& pes, const std::vector<std::size_t>& area_numbers, unsigned me,
                          Step first_step) {
  Group::Setting setting;
  std::vector<WorldReach::Member> shown;
  std::set<int> nodes;  // whose first member has been seen
  for (std::size_t i = 0; i < pes.size(); ++i) {
    const int node = opened->nodes[static_cast<std::size_t>(pes[i])];
    Area* const area = opened->area(area_numbers[i]);
    setting.members.push_back({pes[i], node, area});
    shown.push_back({pes[i], area, nodes.insert(node).second});
  }
  setting.me = me;
  setting.first_step = first_step;
  setting.crowded = opened->crowded;
  setting.reach = std::make_unique<WorldReach>(shown, me);
  return setting;
}

void open_groups() {
  const World& w = world();
  opened = new Groups;
  // Areas are pages, and begin with one.
  const auto memory = reinterpret_cast<std::uintptr_t>(reserve_internal((kAreas + 1) * kAreaBytes));
  opened->areas = reinterpret_cast<std::byte*>((memory + kAreaBytes - 1) / kAreaBytes * kAreaBytes);
  opened->sets = reinterpret_cast<SetList*>(reserve_internal(sizeof(SetList)));
  if (w.is_checked) {
    opened->calls = reinterpret_cast<CallSlot*>(reserve_internal(kAreas * sizeof(CallSlot)));
    open_check_board();
  }
  const std::vector<Said> all = gather_nodes();
  const std::int32_t my_first = all[static_cast<std::size_t>(w.my_pe)].first;
  std::vector<int> all_pes, near_pes;
  for (int pe = 0; pe < w.n_pes; ++pe) {
    const Said& said = all[static_cast<std::size_t>(pe)];
    opened->nodes.push_back(said.first);
    all_pes.push_back(pe);
    if (said.first != my_first) continue;
    near_pes.push_back(pe);
    opened->crowded = opened->crowded || said.is_crowded != 0;
  }
  everyone = predefined_team(all_pes);
  users_of_the_heap = predefined_team(all_pes);
  neighbours = predefined_team(near_pes);
}

void close_groups() {
  close_active_sets();
  close_teams();
  delete std::exchange(neighbours, nullptr);
  delete std::exchange(users_of_the_heap, nullptr);
  delete std::exchange(everyone, nullptr);
  delete std::exchange(opened, nullptr);
  close_check_board();
}

void barrier_unrecorded(Group& group) {
  quiet(default_context());
  sync_unrecorded(group);
}

void barrier(Group& group) {
  const Meeting meeting(group.gathering(), trace::PeMeet::barrier, 0);
  barrier_unrecorded(group);
}

}  // namespace weir::shmem
