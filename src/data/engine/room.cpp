// SPDX-License-Identifier: Apache-2.0

#include "data/engine/room.hpp"

#include <limits>

#include "data/policy/chain.hpp"
#include "data/policy/evict.hpp"
#include "data/policy/prefetch.hpp"

namespace weir::data::engine {

namespace {

// Of the nodes between the victim and its home, what would leave one first, is needed later, and is dirty; or null.
Replica* in_the_way(Core& core, const Replica& victim) noexcept {
  policy::Candidate leaving = victim.key;
  leaving.bytes = victim.block->charge;
  const Hierarchy& hierarchy = core.hierarchy();
  for (std::size_t t = index_of(core.tier_of(victim)) + 1; t < index_of(victim.block->home.tier); ++t) {
    for (const NodeId node : hierarchy.tiers[t].nodes) {
      const Replicas::LeavingOrder& order = core.replicas.leaving_order(node);
      if (order.empty()) continue;
      Replica* const first = *order.begin();
      const std::size_t room = core.ledger.free(node);
      if (policy::descend(core.config.evict, leaving, room, &first->key) == policy::Descent::clean) return first;
    }
  }
  return nullptr;
}

}  // namespace

Room::Left Room::evict(Replica& victim, Actions& actions) {
  if (core_.chain && !has_copy_below(victim)) {
    if (Replica* const lower = room_below(victim)) {
      transfers_.start_descent(victim, *lower, actions);
      return Left::coming;
    }
    Replica* const dirty = may_descend(*victim.block) ? in_the_way(core_, victim) : nullptr;
    if (dirty != nullptr) transfers_.start_write_back(*dirty, false, actions);
  }
  if (victim.state == ReplicaState::dirty)
    return transfers_.start_write_back(victim, true, actions) ? Left::coming : Left::no;
  core_.replicas.withdraw(victim);
  transfers_.drop_evicted(victim);
  return Left::now;
}

// In a slower tier, with the same contents: then the victim is clean, or becomes so at no cost. One that a task is
// still to write all of has no contents yet.
bool Room::has_copy_below(Replica& victim) noexcept {
  for (Replica* r = victim.block->replicas; r != nullptr; r = r->next) {
    if (r->stale || r->blank || !r->is_idle() || core_.tier_of(*r) <= core_.tier_of(victim)) continue;
    core_.replicas.withdraw(victim);
    if (victim.state == ReplicaState::dirty) transfers_.take_over(victim, *r);
    core_.replicas.update(*r);
    return true;
  }
  return false;
}

// Between the ends of two tasks a block goes down once at most; after that it goes home, where it is written once at
// most, too (docs/protocols/admission.md). What was never written has nothing to go down for.
bool Room::may_descend(const Block& block) const noexcept {
  const bool only_one = block.replicas->next == nullptr;
  return !core_.nothing_moves() && block.home.tier != TierIndex::none && only_one && block.written &&
         block.last_descent != core_.tick;
}

// For the block's only replica, one in the next tier before the home that has room for one, or in which some room costs
// nothing; or null.
Replica* Room::room_below(Replica& victim) noexcept {
  Block& block = *victim.block;
  if (!may_descend(block)) return nullptr;
  policy::Candidate leaving = victim.key;
  leaving.bytes = block.charge;
  const Hierarchy& hierarchy = core_.hierarchy();
  for (std::size_t t = index_of(core_.tier_of(victim)) + 1; t < index_of(block.home.tier); ++t) {
    if (!hierarchy.tiers[t].addressable) continue;
    for (const NodeId node : hierarchy.tiers[t].nodes)
      if (Replica* const lower = room_on(node, block, leaving)) return lower;
  }
  return nullptr;
}

// Copies are displaced only when all that may be makes enough room.
Replica* Room::room_on(NodeId node, Block& block, const policy::Candidate& leaving) noexcept {
  if (room_at_no_cost(node, leaving) < leaving.bytes) return nullptr;
  while (core_.ledger.free(node) < leaving.bytes) drop_first(node);
  const std::optional<Place> place = core_.ledger.take(node, block.charge, block.name);
  if (!place) return nullptr;
  block.last_descent = core_.tick;
  return &core_.replicas.make(block, *place);
}

// Free, or of copies that what leaves may displace.
std::size_t Room::room_at_no_cost(NodeId node, const policy::Candidate& leaving) const noexcept {
  std::size_t room = core_.ledger.free(node);
  for (const Replica* const r : core_.replicas.leaving_order(node)) {
    if (policy::descend(core_.config.evict, leaving, room, &r->key) != policy::Descent::displace) break;
    room += r->block->charge;
  }
  return room;
}

void Room::drop_first(NodeId node) noexcept {
  Replica& first = **core_.replicas.leaving_order(node).begin();
  core_.replicas.withdraw(first);
  transfers_.drop_evicted(first);
}

// `bytes` more, out of what `may_leave`: all of it, or nothing.
template <class MayLeave>
bool Room::make_leave(NodeId node, std::size_t bytes, MayLeave may_leave, Actions& actions) {
  const Replicas::LeavingOrder& order = core_.replicas.leaving_order(node);
  std::size_t found = 0;
  for (auto at = order.begin(); found < bytes; ++at) {
    if (at == order.end() || !may_leave((*at)->key)) return false;
    found += (*at)->block->charge;
  }
  for (std::size_t left = 0; left < bytes && !order.empty();) {
    Replica& victim = **order.begin();
    const std::size_t charge = victim.block->charge;
    if (!may_leave(victim.key)) return false;
    left += evict(victim, actions) != Left::no ? charge : 0;
  }
  return true;
}

Room::Made Room::make(NodeId node, std::size_t bytes, const policy::Demand& demand, Actions& actions) {
  const Ledger& ledger = core_.ledger;
  if (ledger.free(node) >= bytes) return Made::now;
  const std::size_t soon = ledger.free_soon(node);
  if (soon + core_.replicas.leavable_bytes(node) < bytes) return Made::none;
  const auto may_leave = [&](const policy::Candidate& c) {
    return policy::may_displace(core_.config.evict, c, demand);
  };
  if (soon < bytes && !make_leave(node, bytes - soon, may_leave, actions)) return Made::none;
  if (ledger.free(node) >= bytes) return Made::now;
  return ledger.free_soon(node) >= bytes ? Made::coming : Made::none;
}

bool Room::make_for_later(NodeId node, std::size_t bytes, const policy::Later& later, Actions& actions) {
  const std::size_t soon = core_.ledger.free_soon(node);
  const auto may_leave = [&](const policy::Candidate& c) { return policy::may_displace_for_later(c, later); };
  return soon >= bytes || make_leave(node, bytes - soon, may_leave, actions);
}

std::size_t Room::displaceable(NodeId node, const policy::Demand& demand) const noexcept {
  std::size_t bytes = 0;
  for (const Replica* const r : core_.replicas.leaving_order(node)) {
    if (!policy::may_displace(core_.config.evict, r->key, demand)) break;
    bytes += r->block->charge;
  }
  return bytes;
}

// ---- In one piece ----

// Of what `may_leave`, what is needed last and at least so large: its place is whole. One at a time. `most`: of those
// that leave first, how many are looked at.
template <class MayLeave>
Room::Made Room::make_hole(NodeId node, std::size_t bytes, MayLeave may_leave, int most, Actions& actions) {
  if (core_.replicas.coming_hole(node) != nullptr) return Made::coming;
  const Replicas::LeavingOrder& order = core_.replicas.leaving_order(node);
  int looked_at = 0;
  for (auto at = order.begin(); at != order.end() && looked_at < most; ++looked_at) {
    Replica& victim = **at++;
    if (!may_leave(victim.key)) break;
    if (victim.block->charge < bytes) continue;
    const Left left = evict(victim, actions);
    if (left == Left::no) continue;
    if (left == Left::now) return Made::now;
    core_.replicas.set_coming_hole(node, &victim);
    return Made::coming;
  }
  return Made::none;
}

Room::Made Room::make_hole(NodeId node, std::size_t bytes, Actions& actions) {
  const auto any = [](const policy::Candidate&) { return true; };
  return make_hole(node, bytes, any, std::numeric_limits<int>::max(), actions);
}

// Tried again with every event: not in all that there is.
Room::Made Room::make_hole_for_later(NodeId node, std::size_t bytes, const policy::Later& later, Actions& actions) {
  constexpr int kMost = 64;
  const auto may_leave = [&](const policy::Candidate& c) { return policy::may_displace_for_later(c, later); };
  return make_hole(node, bytes, may_leave, kMost, actions);
}

bool Room::gather(NodeId node, std::size_t bytes, Actions& actions) {
  if (core_.replicas.coming_hole(node) != nullptr) return false;
  const Replicas::LeavingOrder& order = core_.replicas.leaving_order(node);
  std::size_t left = 0;
  bool coming = false;
  while (left < bytes && !order.empty()) {
    Replica& victim = **order.begin();
    const std::size_t charge = victim.block->charge;
    const Left how = evict(victim, actions);
    if (how == Left::no) continue;
    left += charge;
    if (how == Left::coming) {
      core_.replicas.set_coming_hole(node, &victim);
      coming = true;
    }
  }
  if (left == 0 || coming) return false;
  core_.ledger.trim(node);
  return true;
}

// ---- Unneeded ----

void Room::evict_unneeded(Block& block, Actions& actions) {
  if (core_.config.evict != Evict::refcount && !core_.nothing_moves()) return;
  if (block.scheduled != 0) return;
  for (Replica *r = block.replicas, *next = nullptr; r != nullptr; r = next) {
    next = r->next;
    if (r->candidate && core_.tier_of(*r) <= core_.usual) evict(*r, actions);
  }
}

}  // namespace weir::data::engine
