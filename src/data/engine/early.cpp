// SPDX-License-Identifier: Apache-2.0

#include "data/engine/early.hpp"

#include <utility>

#include "data/engine/charge.hpp"

namespace weir::data::engine {

// Its replicas are in tiers that are slower than the usual one, and no task has them.
bool Early::waits_below(const Block& block) const noexcept {
  for (const Replica* r = block.replicas; r != nullptr; r = r->next)
    if (core_.tier_of(*r) <= core_.usual || !r->is_idle() || r->pins != 0 || r->stale) return false;
  return !block.is_held();
}

bool Early::prefetch_slow(Request& request, policy::Ahead& ahead, policy::Sequence now, Actions& actions) {
  const policy::Later later{request.sequence, now};
  Ledger& ledger = core_.ledger;
  for (Use& use : request.uses()) {
    if (!can_come(use)) continue;
    const std::size_t charge = use.block->charge;
    const Target to = fit_.target_of(request);
    const NodeId target = to.node;
    if (stays(use, to)) continue;
    if (core_.replicas.early_bytes() + ledger.owed(target) >= ahead.early_limit) return false;
    ledger.set_owed(target, ledger.owed(target) + charge);
    if (!room_.make_for_later(target, ledger.owed(target), later, actions)) return false;
    if (!start(use, target, later, actions)) continue;  // when something has left
    ledger.set_owed(target, ledger.owed(target) - charge);
    ahead.early_bytes = core_.replicas.early_bytes();
  }
  return true;
}

// Its task will use it where it is.
bool Early::stays(const Use& use, const Target& target) noexcept {
  const Block& block = *use.block;
  for (const Replica* r = block.replicas; r != nullptr; r = r->next)
    if (core_.tier_of(*r) <= target.tier) return true;
  return (block.replicas == nullptr && fit_.is_home_good(block, target)) ||
         !worth_.moving_pays(use, target, Worth::When::later);
}

// False: not all that is owed has room yet.
bool Early::start(Use& use, NodeId target, const policy::Later& later, Actions& actions) {
  Block& block = *use.block;
  Ledger& ledger = core_.ledger;
  if (ledger.owed(target) > ledger.free(target)) return false;
  std::optional<Place> place = ledger.take(target, block.charge, block.name);
  if (!place && room_.make_hole_for_later(target, hole_for(block.charge), later, actions) == Room::Made::now)
    place = ledger.take(target, block.charge, block.name);
  if (!place) return false;
  Replica& replica = core_.replicas.make(block, *place);
  if (block.written) {
    transfers_.start_fetch(replica, true, actions);
    core_.replicas.set_early(replica);  // until a task uses it
  } else {
    change_state(replica, ReplicaState::clean);
    core_.replicas.update(replica);
  }
  return true;
}

// ---- Out of turn ----

void Early::want(Use& use, Actions& actions) {
  use.early = true;
  ++wanted_;
  bring(use, actions);
}

void Early::forget(Use& use) noexcept {
  if (std::exchange(use.early, false)) --wanted_;
}

void Early::bring(Use& use, Actions& actions) {
  Block& block = *use.block;
  Ledger& ledger = core_.ledger;
  if (!can_come(use) || !block.written) return forget(use);
  const Target to = fit_.target_of(*use.request);
  const NodeId target = to.node;
  if (stays(use, to)) return;
  if (core_.load.fragmented != 0 || core_.replicas.early_bytes() >= limit()) return;
  const std::size_t owed = ledger.owed(target);
  ledger.set_owed(target, block.charge);
  const policy::Later later{use.request->sequence, core_.schedule.first_to_begin(*use.request)};
  if (room_.make_for_later(target, block.charge, later, actions) && start(use, target, later, actions)) forget(use);
  ledger.set_owed(target, owed);
}

void Early::bring_wanted(Actions& actions) {
  std::uint32_t looked_at = 0;
  for (Request* r = core_.schedule.first(); r != nullptr && has_wanted() && looked_at < core_.config.depth;
       r = r->after) {
    if (r->state() != RequestState::pending) continue;
    ++looked_at;
    for (Use& use : r->uses())
      if (use.early) bring(use, actions);
  }
}

}  // namespace weir::data::engine
