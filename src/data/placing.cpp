// SPDX-License-Identifier: Apache-2.0

// Residency: all blocks of a task in their places, or none of them.
#include <algorithm>
#include <utility>

#include "data/residency.hpp"

namespace weir::data {

Residency::Admission Residency::try_admit(Request& request, Steps& steps) {
  Arena& target = target_of(request, fast_bytes(request));
  std::size_t missing = 0;
  std::uint64_t hits = 0, misses = 0;
  for (Use& use : request.uses()) {
    if (take_place(use, target, Reuse::good)) {
      ++hits;
    } else {
      missing += use.block->charge;
      ++misses;
    }
  }
  if (missing != 0 && !place_missing(request, target, missing, steps)) {
    for (Use& use : request.uses()) leave_place(use);
    request.landing = 0;
    return Admission::later;
  }
  counters_.hits += hits;
  counters_.misses += misses;
  note_used(request);
  if (request.landing == 0) {
    hold(request);
    return Admission::held;
  }
  request.state = RequestState::staging;
  if (track_ != nullptr) record_staging(request);
  ++staging_;
  return Admission::staging;
}

// In order, what an earlier task needs stays as long as anything runs or moves: that brings the earlier task on.
policy::Demand Residency::demand_of(const Request& request) const noexcept {
  if (standstill_) return {request.sequence, 0, 1};
  if (in_order()) return {request.sequence, held_ + staging_ + under_way_, 1};
  return {request.sequence, queued_.load(std::memory_order_relaxed), config_.workers};
}

// In the target; where any node of the tier will do, in the first that has room or can make some, or, when none holds
// it all, on several.
bool Residency::place_missing(Request& request, Arena& target, std::size_t missing, Steps& steps) {
  const policy::Demand demand = demand_of(request);
  bool in_pieces = false;
  const auto fill = [&](Room room, Arena& arena) {
    if (room != Room::made || fill_missing(request, arena, steps)) return room;
    in_pieces = true;
    return Room::none;
  };
  const auto try_in = [&](Arena& arena) {
    return fill(make_room(arena, missing + owed_before(request, arena), demand, steps), arena);
  };
  for (Use& use : request.uses()) use.planned = nullptr;
  Room room = Room::none;
  if (needs_several_nodes(request)) {
    room = fill(place_over_nodes(request, demand, steps), target);
    in_pieces = in_pieces || (room == Room::none && lies_in_its_own_way(request, demand));
  } else {
    room = try_in(target);
    if (config_.allocation == Allocation::fast) {
      for (Arena* const arena : tiers_.tiers()[top_].arenas) {
        if (room == Room::none && arena != &target) room = try_in(*arena);
      }
    }
  }
  if (room == Room::none && in_pieces) set_scattered(request, true);
  return room == Room::made;
}

bool Residency::is_missing(const Use& use) const noexcept { return !use.at_home && use.replica == nullptr; }

// The room is there, but perhaps in pieces: then more leaves.
bool Residency::fill_missing(Request& request, Arena& target, Steps& steps) {
  const auto uses = request.uses();
  std::size_t made = 0;
  for (; made < uses.size(); ++made) {
    Use& use = uses[made];
    if (!is_missing(use)) continue;
    Arena& arena = use.planned != nullptr ? *use.planned : target;
    std::uint64_t offset = arena.allocate(use.block->charge);
    if (offset == Arena::kNowhere && make_hole(arena, hole_for(use), steps) == Room::made)
      offset = arena.allocate(use.block->charge);
    if (offset == Arena::kNowhere) break;
    Replica* const replica = new_replica(*use.block, arena, offset);
    change_state(*replica, ReplicaState::filling);
    pin(use, *replica);
  }
  const bool all = made == uses.size();
  for (Use& use : uses.first(made)) {
    if (use.replica == nullptr || use.replica->state != ReplicaState::filling) continue;
    if (use.replica->transfer.replica != nullptr) continue;  // under way already
    if (all && use.block->written && !use.fresh) {
      start_fetch(*use.replica, false, steps);
      continue;
    }
    Replica& replica = *use.replica;  // nothing to wait for
    replica.landing = use.next_landing;
    --request.landing;
    if (all) {
      replica.blank = use.block->written;
      change_state(replica, ReplicaState::clean);
    } else {
      --replica.pins;
      use.replica = nullptr;
      change_state(replica, ReplicaState::absent);
      drop(replica);
    }
  }
  return all;
}

std::size_t Residency::hole_for(const Use& use) noexcept {
  const std::size_t bytes = use.block->charge;
  return bytes < Arena::kPage ? memory::Space::kSlab : bytes;
}

// What is there lies so that the rest does not fit between, and nothing is so large that its place would do. Then so
// much leaves, the task's own blocks, too, and more when that was in vain; nothing is brought in ahead meanwhile. True:
// another try is worth it at once.
bool Residency::gather_room(Request& request, Steps& steps) {
  const auto gather_in = [&](Arena& arena) {
    Place& p = place(arena);
    if (p.hole != nullptr) return false;
    std::size_t left = 0;
    for (const std::size_t bytes = fast_bytes(request); left < bytes && !p.leaving_order.empty();) {
      Replica& victim = **p.leaving_order.begin();
      const std::size_t charge = victim.block->charge;
      const bool at_once = victim.state == ReplicaState::clean;
      if (!evict(victim, steps)) continue;
      left += charge;
      if (!at_once) p.hole = &victim;
    }
    if (left == 0 || p.hole != nullptr) return false;
    arena.trim();
    return true;
  };
  if (!needs_several_nodes(request)) return gather_in(target_of(request, fast_bytes(request)));
  bool try_again = false;
  for (Arena* const arena : tiers_.tiers()[top_].arenas) try_again = gather_in(*arena) || try_again;
  return try_again;
}

void Residency::set_scattered(Request& request, bool scattered) noexcept {
  if (std::exchange(request.scattered, scattered) != scattered) scattered_ += scattered ? 1 : -1;
}

// ---- A place, pinned ----

// Only under local-fast is a replica beside other workers not good enough, as long as nobody counts on it.
bool Residency::reuse(const Replica& replica, const Use& use, const Arena& target) const noexcept {
  if (config_.allocation != Allocation::local_fast || replica.arena == &target) return true;
  const Block& block = *use.block;
  return is_held(block) || replica.pins != 0 || replica.state == ReplicaState::filling ||
         replica.state == ReplicaState::draining;
}

// Pins the block where it is, best of all where somebody uses it: a task around this one may write there. False: it has
// to be brought to `target`.
bool Residency::take_place(Use& use, Arena& target, Reuse which) {
  Block& block = *use.block;
  if (block.home.in_place || block.home_uses != 0) {
    pin_home(use);
    return true;
  }
  Replica* best = nullptr;
  const Replica* source = nullptr;  // of a copy that those who write wait for: they must all get the same one
  for (Replica* r = block.replicas; r != nullptr && writes(use.mode); r = r->next) {
    if (r->state == ReplicaState::filling && r->transfer.source != nullptr) source = r->transfer.source;
  }
  for (Replica* r = block.replicas; r != nullptr; r = r->next) {
    if (r->stale || r == source || (which == Reuse::good && !reuse(*r, use, target))) continue;
    const bool better = best == nullptr || (r->pins != 0 && best->pins == 0) ||
                        ((r->pins != 0) == (best->pins != 0) && r->arena == &target);
    if (better) best = r;
  }
  if (best == nullptr) return false;
  pin(use, *best);
  return true;
}

void Residency::pin_home(Use& use) noexcept {
  const Block& block = *use.block;
  use.at_home = true;
  use.address = block.home.address;
  ++use.block->home_uses;
}

void Residency::pin(Use& use, Replica& replica) noexcept {
  withdraw_candidate(replica);
  ++replica.pins;
  use.replica = &replica;
  use.address = replica.address;
  const bool wait =
      replica.state == ReplicaState::filling || (replica.state == ReplicaState::draining && writes(use.mode));
  if (!wait) return;
  use.next_landing = replica.landing;
  replica.landing = &use;
  ++use.request->landing;
}

// What was brought in ahead for it was not in vain.
void Residency::note_used(Request& request) noexcept {
  for (const Use& use : request.uses()) {
    if (use.replica != nullptr && std::exchange(use.replica->early, false)) early_bytes_ -= use.block->charge;
  }
}

void Residency::leave_place(Use& use) noexcept {
  if (use.at_home) {
    --use.block->home_uses;
    use.at_home = false;
    unmap_home(*use.block);
    return set_address(*use.block);
  }
  Replica* const replica = std::exchange(use.replica, nullptr);
  if (replica == nullptr) return;
  for (Use** link = &replica->landing; *link != nullptr; link = &(*link)->next_landing) {
    if (*link != &use) continue;
    *link = use.next_landing;
    break;
  }
  --replica->pins;
  const bool worthless = replica->blank || (replica->stale && replica->state == ReplicaState::clean);
  if (worthless && replica->pins == 0) return discard(*replica);
  update_candidate(*replica);
}

// ---- The whole footprint is there, and is left ----

// All is in place: the task may run.
void Residency::hold(Request& request) {
  request.state = RequestState::held;
  if (track_ != nullptr) record_wait_end(request);
  ++held_;
  queued_.fetch_add(1, std::memory_order_relaxed);
  for (Use& use : request.uses()) {
    set_address(*use.block);
    const Home& home = use.block->home;
    if (use.at_home && is_emulated(home.tier)) request.in_place_bytes += use.block->bytes;
    request.in_place = request.in_place || (use.at_home && home.kind == Home::Kind::file);
  }
  request.in_place = request.in_place || request.in_place_bytes != 0;
  request.may_begin.store(true);  // ADMIT-1
}

bool Residency::is_emulated(int tier) const noexcept {
  return tier >= 0 && tiers_.tiers()[static_cast<std::size_t>(tier)].copy_fraction > 0;
}

// The task has run: what it wrote is what the block holds. Not earlier, for it might have been cancelled; nobody but
// its children could have used the block meanwhile, and they find it where the task has it.
void Residency::publish(Use& use) noexcept {
  if (!writes(use.mode)) return;
  Block& block = *use.block;
  block.written = true;
  if (use.at_home) {
    block.home.current = true;
    return forget_other_replicas(block, nullptr);
  }
  block.home.current = false;
  use.replica->blank = false;
  if (use.replica->state == ReplicaState::clean) change_state(*use.replica, ReplicaState::dirty);
  forget_other_replicas(block, use.replica);
}

void Residency::forget_other_replicas(Block& block, const Replica* keep) noexcept {
  for (Replica *r = block.replicas, *next = nullptr; r != nullptr; r = next) {
    next = r->next;
    if (r == keep) continue;
    const bool idle = r->state == ReplicaState::clean || r->state == ReplicaState::dirty;
    if (idle && r->pins == 0) {
      discard(*r);
    } else {
      r->stale = true;
    }
  }
}

}  // namespace weir::data
