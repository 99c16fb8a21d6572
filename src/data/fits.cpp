// SPDX-License-Identifier: Apache-2.0

// Residency: what a task needs in the fast tier, what that can give, and which node is to have what.
#include <algorithm>
#include <vector>

#include "data/residency.hpp"
#include "data/spread.hpp"

namespace weir::data {

std::size_t Residency::can_give(const Arena& arena) noexcept {
  return arena.budget() - std::min(arena.budget(), place(arena).permanent);
}

Arena& Residency::target_of(const Request& request, std::size_t missing) noexcept {
  Arena* const arena = tiers_.arena_for(config_.allocation, DomainId(request.domain), Bytes{missing});
  return arena != nullptr ? *arena : default_arena(request.domain);
}

// What the task needs in the fast tier when nothing is there, small blocks by the slab. Whether there is room now, the
// arena is asked: a slab that it has may do.
std::size_t Residency::fast_bytes(Request& request) noexcept {
  Arena::Sum sum;
  for (const Use& use : request.uses())
    if (!use.block->home.in_place) sum.add(use.block->charge);
  return sum.bytes();
}

// A task around it has the block for as long as this one waits.
bool Residency::is_kept(const Request& request, const Block& block) noexcept {
  for (Request* around = request.parent; around != nullptr; around = around->parent)
    if (around->find(block) != nullptr) return true;
  return false;
}

// What the tasks around it take of the arena, or, without one, of all. A block that one of them uses in a file's pages
// counts as if it had room, so that it does not depend on time who fits beside them.
std::size_t Residency::kept_around(const Request& request, const Arena* arena) noexcept {
  Arena::Sum sum;
  for (const Block* const block : request.beside) {
    const Replica* r = block->replicas;
    while (r != nullptr && arena != nullptr && r->arena != arena) r = r->next;
    if ((r != nullptr || block->home_uses != 0) && !block->home.in_place) sum.add(block->charge);
  }
  for (Request* around = request.parent; around != nullptr; around = around->parent) {
    for (const Use& use : around->uses()) {
      const Block& block = *use.block;
      const bool counted = [&] {
        for (Request* inner = request.parent; inner != around; inner = inner->parent)
          if (inner->find(block) != nullptr) return true;
        return false;
      }();
      const bool in_file = use.at_home && block.home.kind == Home::Kind::file;
      const bool here = use.replica != nullptr && (arena == nullptr || use.replica->arena == arena);
      if (!counted && (in_file || here)) sum.add(block.charge);
    }
  }
  return sum.bytes();
}

// What it needs beside that in the fast tier.
std::size_t Residency::wanted_bytes(Request& request) noexcept {
  Arena::Sum sum;
  for (const Use& use : request.uses())
    if (!use.block->home.in_place && !is_kept(request, *use.block)) sum.add(use.block->charge);
  return sum.bytes();
}

std::size_t Residency::room_for(const Request& request, const Arena& arena) noexcept {
  const std::size_t budget = can_give(arena);
  return budget - std::min(budget, kept_around(request, &arena));
}

// ---- Several nodes ----

// Where any node of the tier will do, and none holds the whole footprint.
bool Residency::needs_several_nodes(Request& request) noexcept {
  const auto& arenas = tiers_.tiers()[top_].arenas;
  if (config_.allocation != Allocation::fast || arenas.size() < 2) return false;
  const std::size_t bytes = wanted_bytes(request);
  return std::none_of(arenas.begin(), arenas.end(), [&](const Arena* a) { return bytes <= room_for(request, *a); });
}

// For the blocks of `which`, on nodes of `room` bytes. False: they do not fit so.
template <class Which, class RoomOf>
bool Residency::plan_over_nodes(Request& request, Which which, RoomOf room_of) {
  const auto& arenas = tiers_.tiers()[top_].arenas;
  std::vector<std::size_t> sizes, room;
  for (Use& use : request.uses()) {
    use.planned = nullptr;
    if (which(use)) sizes.push_back(use.block->charge);
  }
  for (Arena* const arena : arenas) room.push_back(room_of(*arena));
  std::vector<int> node(sizes.size());
  if (!spread(sizes, room, node)) return false;
  auto next = node.begin();
  for (Use& use : request.uses())
    if (which(use)) use.planned = arenas[static_cast<std::size_t>(*next++)];
  return true;
}

// What is free, or can be made so.
std::size_t Residency::room_soon(const Request& request, const Arena& arena, const policy::Demand& demand) noexcept {
  Place& p = place(arena);
  const std::size_t soon = arena.budget() - std::min(arena.budget(), arena.used()) + p.leaving_bytes;
  const std::size_t all = soon + displaceable(p, demand);
  return all - std::min(all, owed_before(request, arena));
}

Residency::Room Residency::place_over_nodes(Request& request, const policy::Demand& demand, Steps& steps) {
  const auto missing = [&](const Use& use) { return is_missing(use); };
  if (!plan_over_nodes(request, missing, [&](const Arena& arena) { return room_soon(request, arena, demand); }))
    return Room::none;
  Room room = Room::made;
  for (Arena* const arena : tiers_.tiers()[top_].arenas) {
    Arena::Sum sum;
    for (const Use& use : request.uses())
      if (use.planned == arena) sum.add(use.block->charge);
    if (sum.bytes() == 0) continue;
    const Room here = make_room(*arena, sum.bytes() + owed_before(request, *arena), demand, steps);
    if (here == Room::none) return here;
    if (here == Room::coming) room = here;
  }
  return room;
}

// They would fit if those that are there, and that nobody else uses, lay elsewhere.
bool Residency::lies_in_its_own_way(Request& request, const policy::Demand& demand) {
  const auto own = [](const Use& use) {
    return use.replica != nullptr && use.replica->pins == 1 &&
           (use.replica->state == ReplicaState::clean || use.replica->state == ReplicaState::dirty);
  };
  return plan_over_nodes(
      request, [&](const Use& use) { return is_missing(use) || own(use); },
      [&](const Arena& arena) {
        std::size_t bytes = room_soon(request, arena, demand);
        for (const Use& use : request.uses()) bytes += own(use) && use.replica->arena == &arena ? use.block->charge : 0;
        return bytes;
      });
}

// ---- Ever ----

bool Residency::never_fits(Request& request) noexcept {
  if (needs_several_nodes(request)) {
    const auto wanted = [&](const Use& use) { return !use.block->home.in_place && !is_kept(request, *use.block); };
    return !plan_over_nodes(request, wanted, [&](const Arena& arena) { return room_for(request, arena); });
  }
  const std::size_t wanted = wanted_bytes(request);
  const auto fits = [&](const Arena& arena) {
    return policy::can_ever_fit({wanted, kept_around(request, &arena), can_give(arena)});
  };
  if (config_.allocation != Allocation::fast) return !fits(target_of(request, fast_bytes(request)));
  const auto& arenas = tiers_.tiers()[top_].arenas;
  return std::none_of(arenas.begin(), arenas.end(), [&](const Arena* arena) { return fits(*arena); });
}

}  // namespace weir::data
