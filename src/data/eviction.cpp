// SPDX-License-Identifier: Apache-2.0

// Residency: what leaves the fast tier, and what happens when a transfer lands.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "data/policy/admit.hpp"
#include "data/policy/evict.hpp"
#include "data/policy/prefetch.hpp"
#include "data/residency.hpp"

namespace weir::data {

// ---- Replicas ----

bool Residency::ByKey::operator()(const Replica* a, const Replica* b) const noexcept {
  if (policy::leaves_before(rule, a->key, b->key)) return true;
  if (policy::leaves_before(rule, b->key, a->key)) return false;
  return a < b;
}

Replica* Residency::new_replica(Block& block, Arena& arena, std::uint64_t offset) noexcept {
  constexpr std::size_t kChunk = 64;
  if (free_replicas_ == nullptr) {
    replica_pool_.push_back(std::make_unique<Replica[]>(kChunk));
    for (std::size_t i = 0; i < kChunk; ++i) {
      Replica& fresh = replica_pool_.back()[i];
      fresh.next = std::exchange(free_replicas_, &fresh);
    }
  }
  Replica* const replica = std::exchange(free_replicas_, free_replicas_->next);
  *replica = {};
  replica->block = &block;
  replica->arena = &arena;
  replica->offset = offset;
  replica->address = arena.address(offset);
  replica->next = std::exchange(block.replicas, replica);
  return replica;
}

// Out of its arena, at no cost: it is clean, or its copy failed.
void Residency::drop(Replica& replica) noexcept {
  Block& block = *replica.block;
  if (std::exchange(replica.early, false)) early_bytes_ -= block.charge;
  if (replica.state != ReplicaState::absent) change_state(replica, ReplicaState::absent);
  replica.arena->free(replica.offset, block.charge);
  if (replica.write_failed) std::erase(unwritable_, &replica);
  Replica** link = &block.replicas;
  while (*link != &replica) link = &(*link)->next;
  *link = replica.next;
  replica.next = std::exchange(free_replicas_, &replica);
  set_address(block);
}

// Unpinned; what it holds is not needed any more.
void Residency::discard(Replica& replica) noexcept {
  withdraw_candidate(replica);
  if (replica.state == ReplicaState::dirty) {
    change_state(replica, ReplicaState::draining);
    change_state(replica, ReplicaState::clean);
  }
  drop(replica);
}

// One place only: every task that uses the block finds it there.
void Residency::set_address(Block& block) noexcept {
  const bool home = block.home.in_place || block.home_uses != 0;
  void* address = home ? block.home.address : nullptr;
  int places = home ? 1 : 0;
  for (const Replica* r = block.replicas; r != nullptr; r = r->next) {
    address = r->address;
    ++places;
  }
  block.address.store(places == 1 ? address : nullptr, std::memory_order_relaxed);
}

void Residency::withdraw_candidate(Replica& replica) noexcept {
  if (!std::exchange(replica.candidate, false)) return;
  Place& p = place(*replica.arena);
  p.leaving_order.erase(&replica);
  p.candidate_bytes -= replica.block->charge;
}

// Two writes to one home at a time could end in either order.
bool Residency::is_draining(const Block& block) noexcept {
  const Replica* r = block.replicas;
  while (r != nullptr && r->state != ReplicaState::draining) r = r->next;
  return r != nullptr;
}

void Residency::update_candidate(Replica& replica) noexcept {
  const Block& block = *replica.block;
  const bool idle = replica.state == ReplicaState::clean || replica.state == ReplicaState::dirty;
  const bool can_leave = idle && replica.pins == 0 && !is_held(block) && !replica.write_failed && !is_draining(block);
  const policy::Candidate key{block.next_use(), block.last_use, block.bytes, replica.state == ReplicaState::dirty};
  if (replica.candidate && can_leave && key == replica.key) return;
  withdraw_candidate(replica);
  if (!can_leave) return;
  replica.key = key;
  Place& p = place(*replica.arena);
  p.leaving_order.insert(&replica);
  p.candidate_bytes += block.charge;
  replica.candidate = true;
}

// ---- Room ----

// True: it has left, or is on its way.
bool Residency::evict(Replica& victim, Steps& steps) {
  if (victim.state == ReplicaState::dirty) return start_write_back(victim, true, steps);
  withdraw_candidate(victim);
  ++counters_.evictions;
  if (track_ != nullptr) record_eviction(victim);
  drop(victim);
  return true;
}

// So many bytes more, out of what `may_leave`: all that it takes, or nothing. What left in vain would be brought in
// again, and so on for ever.
template <class MayLeave>
bool Residency::make_leave(Place& p, std::size_t bytes, MayLeave may_leave, Steps& steps) {
  std::size_t found = 0;
  for (auto at = p.leaving_order.begin(); found < bytes; ++at) {
    if (at == p.leaving_order.end() || !may_leave((*at)->key)) return false;
    found += (*at)->block->charge;
  }
  for (std::size_t left = 0; left < bytes && !p.leaving_order.empty();) {
    Replica& victim = **p.leaving_order.begin();
    const std::size_t charge = victim.block->charge;
    if (!may_leave(victim.key)) return false;
    left += evict(victim, steps) ? charge : 0;
  }
  return true;
}

// Enough is free, but in pieces: of what `may_leave`, what is needed last and at least so large leaves, and its place
// is whole. One at a time. `most`: of those that leave first, how many are looked at.
template <class MayLeave>
Residency::Room Residency::make_hole(Arena& arena, std::size_t bytes, MayLeave may_leave, int most, Steps& steps) {
  Place& p = place(arena);
  if (p.hole != nullptr) return Room::coming;
  int looked_at = 0;
  for (auto at = p.leaving_order.begin(); at != p.leaving_order.end() && looked_at < most; ++looked_at) {
    Replica& victim = **at++;
    if (!may_leave(victim.key)) break;
    if (victim.block->charge < bytes) continue;
    const bool at_once = victim.state == ReplicaState::clean;
    if (!evict(victim, steps)) continue;
    if (at_once) return Room::made;
    p.hole = &victim;
    return Room::coming;
  }
  return Room::none;
}

Residency::Room Residency::make_hole(Arena& arena, std::size_t bytes, Steps& steps) {
  const auto any = [](const policy::Candidate&) { return true; };
  return make_hole(arena, bytes, any, std::numeric_limits<int>::max(), steps);
}

// Tried again with every event: not in all that there is.
Residency::Room Residency::make_hole_for_later(Arena& arena, std::size_t bytes, const policy::Later& later,
                                               Steps& steps) {
  constexpr int kMost = 64;
  const auto may_leave = [&](const policy::Candidate& c) { return policy::may_displace_for_later(c, later); };
  return make_hole(arena, bytes, may_leave, kMost, steps);
}

std::size_t Residency::displaceable(Place& p, const policy::Demand& demand) const noexcept {
  std::size_t bytes = 0;
  for (const Replica* const r : p.leaving_order) {
    if (!policy::may_displace(config_.evict, r->key, demand)) break;
    bytes += r->block->charge;
  }
  return bytes;
}

// For a ready task. What has to be written back for it is on its way, or nothing was found that could leave.
Residency::Room Residency::make_room(Arena& arena, std::size_t bytes, const policy::Demand& demand, Steps& steps) {
  Place& p = place(arena);
  const auto free = [&arena] { return arena.budget() - std::min(arena.budget(), arena.used()); };
  if (free() >= bytes) return Room::made;
  const std::size_t soon = free() + p.leaving_bytes;
  if (soon + p.candidate_bytes < bytes) return Room::none;
  const auto may_leave = [&](const policy::Candidate& c) { return policy::may_displace(config_.evict, c, demand); };
  if (soon < bytes && !make_leave(p, bytes - soon, may_leave, steps)) return Room::none;
  if (free() >= bytes) return Room::made;
  return free() + p.leaving_bytes >= bytes ? Room::coming : Room::none;
}

bool Residency::make_room_for_later(Arena& arena, std::size_t bytes, const policy::Later& later, Steps& steps) {
  Place& p = place(arena);
  const std::size_t soon = arena.budget() - std::min(arena.budget(), arena.used()) + p.leaving_bytes;
  const auto may_leave = [&](const policy::Candidate& c) { return policy::may_displace_for_later(c, later); };
  return soon >= bytes || make_leave(p, bytes - soon, may_leave, steps);
}

// Evict::refcount: at once when no ready task needs it. What `off` had to fetch from a file does not stay either.
void Residency::evict_unneeded(Block& block, Steps& steps) {
  if (config_.evict != Evict::refcount && config_.strategy != Strategy::off) return;
  if (block.scheduled != 0) return;
  for (Replica *r = block.replicas, *next = nullptr; r != nullptr; r = next) {
    next = r->next;
    if (r->candidate) evict(*r, steps);
  }
}

// ---- Transfers ----

void Residency::start_fetch(Replica& replica, bool ahead, Steps& steps) {
  Block& block = *replica.block;
  Replica* source = nullptr;
  for (Replica* r = block.replicas; r != nullptr; r = r->next) {
    if (r != &replica && !r->stale && r->state != ReplicaState::filling) source = r;
  }
  WEIR_CHECK(source != nullptr || block.home.current, "a block has contents, but nowhere");
  if (source != nullptr) {
    withdraw_candidate(*source);
    ++source->pins;
  }
  replica.transfer = {Transfer::Kind::fetch, ahead, steps.lane, &replica, source, nullptr};
  ++under_way_;
  if (ahead) ++counters_.prefetches;
  steps.start(replica.transfer);
}

void Residency::set_write_failed(Replica& replica, const base::Status& status) {
  ++counters_.failures;
  last_write_failure_ = status;
  if (!std::exchange(replica.write_failed, true)) unwritable_.push_back(&replica);
}

// The disk may have room again.
void Residency::try_writing_again() noexcept {
  last_write_failure_ = base::Status::success();
  for (Replica* const replica : unwritable_) {
    replica->write_failed = false;
    update_candidate(*replica);
  }
  unwritable_.clear();
}

bool Residency::start_write_back(Replica& replica, bool leaving, Steps& steps) {
  withdraw_candidate(replica);
  if (base::Status status = give_home_a_place(*replica.block); !status) {
    set_write_failed(replica, status);
    return false;
  }
  change_state(replica, ReplicaState::draining);
  replica.leaving = leaving;
  if (leaving) place(*replica.arena).leaving_bytes += replica.block->charge;
  replica.transfer = {Transfer::Kind::write_back, false, steps.lane, &replica, nullptr, nullptr};
  ++under_way_;
  steps.start(replica.transfer);
  return true;
}

void Residency::land(Transfer& transfer, const base::Status& status, Steps& steps) {
  Replica& replica = *transfer.replica;
  --under_way_;
  const bool came_early = transfer.kind == Transfer::Kind::fetch && replica.landing == nullptr && replica.early &&
                          transfer.source == nullptr && status && !replica.stale;
  if (transfer.kind == Transfer::Kind::fetch) {
    landed_fetch(replica, status, steps);
  } else {
    landed_write_back(replica, status, steps);
  }
  if (came_early && under_way_ != 0) return;  // nobody waited for it, and there is no more room than before
  advance(steps);
}

void Residency::landed_fetch(Replica& replica, const base::Status& status, Steps& steps) {
  Block& block = *replica.block;
  Replica* const source = replica.transfer.source;
  if (source != nullptr) --source->pins;
  block.fetch_failed = !status;
  if (status) {
    counters_.bytes_fetched += block.bytes;
    change_state(replica, ReplicaState::clean);
    if (source != nullptr && source->state == ReplicaState::dirty) {  // now this one is the newest
      change_state(*source, ReplicaState::draining);
      change_state(*source, ReplicaState::clean);
      change_state(replica, ReplicaState::dirty);
    }
  } else {
    change_state(replica, ReplicaState::absent);
  }
  if (source != nullptr) update_candidate(*source);
  wake_landing(replica, status, steps);
  if (replica.state == ReplicaState::absent || (replica.stale && replica.pins == 0)) {
    drop(replica);
  } else {
    update_candidate(replica);
  }
}

void Residency::landed_write_back(Replica& replica, const base::Status& status, Steps& steps) {
  Block& block = *replica.block;
  Arena& arena = *replica.arena;
  Place& p = place(arena);
  if (replica.leaving) p.leaving_bytes -= block.charge;
  const bool makes_hole = p.hole == &replica;
  const bool leaving = std::exchange(replica.leaving, false);
  if (status) {
    counters_.bytes_written_back += block.bytes;
    change_state(replica, ReplicaState::clean);
    if (!replica.stale) block.home.current = true;
    if (std::exchange(replica.write_failed, false)) std::erase(unwritable_, &replica);
  } else {
    change_state(replica, ReplicaState::dirty);  // nothing is lost
    if (counters_.failures == 0) steps.warnings.push_back(status.message);
    set_write_failed(replica, status);
  }
  wake_landing(replica, base::Status::success(), steps);
  const bool gone = replica.state == ReplicaState::clean && replica.pins == 0 && (leaving || replica.stale);
  if (gone) {
    ++counters_.evictions;
    if (track_ != nullptr) record_eviction(replica);
    drop(replica);
  }
  if (makes_hole) {
    p.hole = nullptr;
    arena.trim();
  }
  for (Replica* r = block.replicas; r != nullptr; r = r->next) update_candidate(*r);
}

// Those that waited for this transfer: the last one that a task waits for makes it run, or fail. Pinned meanwhile: what
// becomes of the replica is for the caller to decide, not for a task that fails and leaves its place.
void Residency::wake_landing(Replica& replica, const base::Status& status, Steps& steps) {
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
      --staging_;
      if (request.failure) {
        hold(request);
        steps.stage(request);
      } else {
        fail(request, std::move(request.failure), steps);
      }
    }
    use = next;
  }
  --replica.pins;
}

}  // namespace weir::data
