// SPDX-License-Identifier: Apache-2.0

#include "data/engine/staging.hpp"

#include <utility>

#include "data/engine/charge.hpp"

namespace weir::data::engine {

Admitted Staging::stage(Request& request, const policy::Demand& demand, Actions& actions) {
  const Target target = fit_.target_of(request);
  std::size_t missing = 0;
  std::uint64_t hits = 0, misses = 0;
  for (Use& use : request.uses()) {
    if (pins_.take(use, target.node, Pins::Reuse::good)) {
      ++hits;
    } else if (!take_where_it_is(use, target)) {
      missing += use.block->charge;
      ++misses;
    }
  }
  if (missing != 0) {
    const Admitted placed = place_missing(request, target, missing, demand, actions);
    if (placed != Admitted::held) {
      pins_.leave_all(request);
      request.landing = 0;
      return placed;
    }
  }
  core_.counters.hits += hits;
  core_.counters.misses += misses;
  return settle(request);
}

// In slower memory than that of the target, or at home: because that is as good, or because moving it does not pay.
bool Staging::take_where_it_is(Use& use, const Target& target) {
  Block& block = *use.block;
  if (fit_.is_home_good(block, target) && block.replicas == nullptr) return take_home(use);
  if (worth_.moving_pays(use, target, Worth::When::now)) return false;
  if (block.replicas != nullptr) return pins_.take(use, target.node, Pins::Reuse::any);
  const TierIndex home = block.home.tier;
  return home != TierIndex::none && core_.hierarchy().tier(home).addressable && take_home(use);
}

// Not where it has turned out that the home is in a file.
bool Staging::take_home(Use& use) {
  Block& block = *use.block;
  if (!homes_.give_place(block) || !core_.hierarchy().tier(block.home.tier).addressable) return false;
  pins_.take_home(use);
  return true;
}

// ---- Room for what is missing ----

// In the target; where any node of the tier will do, in the first that has room or can make some, or, when none holds
// it all, on several.
Admitted Staging::place_missing(Request& request, const Target& target, std::size_t missing,
                                const policy::Demand& demand, Actions& actions) {
  bool in_pieces = false;
  const auto fill = [&](Room::Made room, NodeId node) {
    if (room != Room::Made::now || fill_missing(request, node, actions)) return room;
    in_pieces = true;
    return Room::Made::none;
  };
  const auto try_in = [&](NodeId node) {
    return fill(room_.make(node, missing + fit_.owed_before(request, node), demand, actions), node);
  };
  for (Use& use : request.uses()) use.planned = NodeId::none;
  Room::Made room = Room::Made::none;
  if (fit_.needs_several_nodes(request, target)) {
    room = fill(make_planned_room(request, target, demand, actions), target.node);
    in_pieces = in_pieces || (room == Room::Made::none && fit_.is_in_its_own_way(request, target, demand));
  } else {
    room = try_in(target.node);
    for (const NodeId node : fit_.nodes_of(target)) {
      if (target.any_node && room == Room::Made::none && node != target.node) room = try_in(node);
    }
  }
  if (room == Room::Made::now) return Admitted::held;
  return room == Room::Made::none && in_pieces ? Admitted::fragmented : Admitted::later;
}

Room::Made Staging::make_planned_room(Request& request, const Target& target, const policy::Demand& demand,
                                      Actions& actions) {
  if (!fit_.plan_missing(request, target, demand)) return Room::Made::none;
  Room::Made room = Room::Made::now;
  for (const NodeId node : fit_.nodes_of(target)) {
    const std::size_t bytes = Fit::charge_planned(request, node);
    if (bytes == 0) continue;
    const Room::Made here = room_.make(node, bytes + fit_.owed_before(request, node), demand, actions);
    if (here == Room::Made::none) return here;
    if (here == Room::Made::coming) room = here;
  }
  return room;
}

// The room is there, but perhaps in pieces: then more leaves.
bool Staging::take_room(Use& use, NodeId node, Actions& actions) {
  Block& block = *use.block;
  std::optional<Place> place = core_.ledger.take(node, block.charge, block.name);
  if (!place && room_.make_hole(node, hole_for(block.charge), actions) == Room::Made::now)
    place = core_.ledger.take(node, block.charge, block.name);
  if (!place) return false;
  pins_.take_replica(use, core_.replicas.make(block, *place));
  return true;
}

bool Staging::fill_missing(Request& request, NodeId target, Actions& actions) {
  const auto uses = request.uses();
  std::size_t taken = 0;
  for (; taken < uses.size(); ++taken) {
    Use& use = uses[taken];
    const NodeId node = use.planned != NodeId::none ? use.planned : target;
    if (Fit::is_missing(use) && !take_room(use, node, actions)) break;
  }
  const bool all = taken == uses.size();
  for (Use& use : uses.first(taken)) {
    if (use.replica == nullptr || use.replica->state != ReplicaState::filling) continue;
    if (use.replica->transfer.replica != nullptr) continue;  // under way already
    if (all)
      begin_filling(use, actions);
    else
      undo_filling(use);
  }
  return all;
}

void Staging::begin_filling(Use& use, Actions& actions) {
  Replica& replica = *use.replica;
  if (use.block->written && !use.fresh) return transfers_.start_fetch(replica, false, actions);
  replica.landing = use.next_landing;  // nothing to wait for
  --use.request->landing;
  replica.blank = use.block->written;
  change_state(replica, ReplicaState::clean);
}

void Staging::undo_filling(Use& use) noexcept {
  Replica& replica = *std::exchange(use.replica, nullptr);
  replica.landing = use.next_landing;
  --use.request->landing;
  --replica.pins;
  change_state(replica, ReplicaState::absent);
  core_.replicas.drop(replica);
}

bool Staging::gather_room(Request& request, Actions& actions) {
  const std::size_t bytes = Fit::charge_of_all(request);
  const Target target = fit_.target_of(request);
  if (!fit_.needs_several_nodes(request, target)) return room_.gather(target.node, bytes, actions);
  bool try_again = false;
  for (const NodeId node : fit_.nodes_of(target)) try_again = room_.gather(node, bytes, actions) || try_again;
  return try_again;
}

// ---- In place ----

// What was brought in early for it was of use.
void Staging::note_used(Request& request) noexcept {
  for (const Use& use : request.uses())
    if (use.replica != nullptr) core_.replicas.end_early(*use.replica);
}

// All uses are pinned: held, or held when what they wait for has landed.
Admitted Staging::settle(Request& request) {
  note_used(request);
  worth_.note_use(request);
  if (request.landing == 0) {
    hold(request);
    return Admitted::held;
  }
  if (core_.observer != nullptr) core_.observer->waits_for_transfers(request);
  core_.set_state(request, RequestState::staging);
  return Admitted::staging;
}

// All is in place: the task may run.
void Staging::hold(Request& request) {
  if (core_.observer != nullptr) core_.observer->waits_no_more(request);
  for (Use& use : request.uses()) {
    if (!use.at_home) continue;
    const Home& home = use.block->home;
    const bool slowed = home.tier != TierIndex::none && core_.hierarchy().tier(home.tier).slowed;
    if (slowed) request.in_place_bytes += use.block->size;
    request.in_place = request.in_place || slowed || home.kind == Home::Kind::file;
  }
  core_.set_state(request, RequestState::held);
}

void Staging::give_up_places(Request& request) noexcept {
  pins_.leave_all(request);
  request.in_place = false;
  request.in_place_bytes = 0;
}

// Pinned until all have been dealt with: what becomes of the replica is not for a task that fails and leaves its place.
void Staging::wake(Replica& replica, const base::Status& status, Actions& actions) {
  ++replica.pins;
  Use* use = std::exchange(replica.landing, nullptr);
  while (use != nullptr) {
    Use* const next = use->next_landing;
    Request& request = *use->request;
    if (!status) {
      if (request.failure) request.failure = status;
      --replica.pins;  // the place is gone
      use->replica = nullptr;
    }
    if (--request.landing == 0) {
      if (request.failure) {
        hold(request);
        actions.stage(request);
      } else {
        fail(request, std::move(request.failure), actions);
      }
    }
    use = next;
  }
  --replica.pins;
}

void Staging::fail(Request& request, base::Status status, Actions& actions) {
  pins_.leave_all(request);
  ++core_.counters.failures;
  request.landing = 0;
  if (core_.observer != nullptr) core_.observer->waits_no_more(request);
  core_.set_state(request, RequestState::failed);
  request.failure = std::move(status);
  actions.stage(request);
}

}  // namespace weir::data::engine
