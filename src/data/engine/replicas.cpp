// SPDX-License-Identifier: Apache-2.0

#include "data/engine/replicas.hpp"

#include <utility>

#include "data/policy/evict.hpp"

namespace weir::data::engine {

bool Replicas::LeavesBefore::operator()(const Replica* a, const Replica* b) const noexcept {
  if (policy::leaves_before(rule, a->key, b->key)) return true;
  if (policy::leaves_before(rule, b->key, a->key)) return false;
  return a->made > b->made;  // not by address: equal events have equal consequences
}

Replicas::Replicas(Ledger& ledger, Evict rule, bool chain)
    : ledger_(ledger), chain_(chain), leaving_(ledger.hierarchy().nodes.size()) {
  for (Leaving& each : leaving_) each.order = LeavingOrder(LeavesBefore{rule});
}

Replica& Replicas::take_free() {
  constexpr std::size_t kChunk = 64;
  if (free_ == nullptr) {
    pool_.push_back(std::make_unique<Replica[]>(kChunk));
    for (std::size_t i = 0; i < kChunk; ++i) {
      Replica& fresh = pool_.back()[i];
      fresh.next = std::exchange(free_, &fresh);
    }
  }
  return *std::exchange(free_, free_->next);
}

Replica& Replicas::make(Block& block, Place place) {
  Replica& replica = take_free();
  replica = {};
  replica.block = &block;
  replica.place = place;
  replica.made = ++made_;
  replica.next = std::exchange(block.replicas, &replica);
  ledger_.add_replica(place.node, block.charge);
  change_state(replica, ReplicaState::filling);
  note_place(block);
  return replica;
}

void Replicas::drop(Replica& replica) noexcept {
  Block& block = *replica.block;
  end_early(replica);
  if (replica.state != ReplicaState::absent) change_state(replica, ReplicaState::absent);
  ledger_.give_back(replica.place, block.charge);
  ledger_.remove_replica(replica.place.node, block.charge);
  set_writable(replica);
  Replica** link = &block.replicas;
  while (*link != &replica) link = &(*link)->next;
  *link = replica.next;
  replica.next = std::exchange(free_, &replica);
  note_place(block);
}

void Replicas::discard(Replica& replica) noexcept {
  withdraw(replica);
  if (replica.state == ReplicaState::dirty) {
    change_state(replica, ReplicaState::draining);
    change_state(replica, ReplicaState::clean);
  }
  drop(replica);
}

void Replicas::forget_others(Block& block, const Replica* keep) noexcept {
  for (Replica *r = block.replicas, *next = nullptr; r != nullptr; r = next) {
    next = r->next;
    if (r == keep) continue;
    if (r->is_idle() && r->pins == 0)
      discard(*r);
    else
      r->stale = true;
  }
}

// ---- Which could leave ----

void Replicas::withdraw(Replica& replica) noexcept {
  if (!std::exchange(replica.candidate, false)) return;
  Leaving& here = at(replica.place.node);
  here.order.erase(&replica);
  here.bytes -= replica.block->charge;
}

// A clean one of which there is a copy in a faster tier is of use only when that has left: it goes first.
policy::Candidate Replicas::key_of(const Replica& replica) const noexcept {
  const Block& block = *replica.block;
  const bool dirty = replica.state == ReplicaState::dirty;
  if (chain_ && block.replicas->next != nullptr && !dirty) [[unlikely]] {
    const Hierarchy& hierarchy = ledger_.hierarchy();
    const TierIndex here = hierarchy.tier_of(replica.place.node);
    for (const Replica* r = block.replicas; r != nullptr; r = r->next)
      if (!r->stale && r->is_idle() && hierarchy.tier_of(r->place.node) < here)
        return {policy::kNever, 0, block.size, false};
  }
  return {block.next_use(), block.last_use, block.size, dirty};
}

// While one replica is written to the home no other may be: the two could end in either order.
void Replicas::update(Replica& replica) noexcept {
  const Block& block = *replica.block;
  const bool can_leave = replica.is_idle() && replica.pins == 0 && !block.is_held() && !replica.write_failed &&
                         !block.has(ReplicaState::draining);
  const policy::Candidate key = key_of(replica);
  if (replica.candidate && can_leave && key == replica.key) return;
  withdraw(replica);
  if (!can_leave) return;
  replica.key = key;
  Leaving& here = at(replica.place.node);
  here.order.insert(&replica);
  here.bytes += block.charge;
  replica.candidate = true;
}

// ---- Whose contents could not be written ----

void Replicas::set_unwritable(Replica& replica) {
  if (!std::exchange(replica.write_failed, true)) unwritable_.push_back(&replica);
}

void Replicas::set_writable(Replica& replica) noexcept {
  if (std::exchange(replica.write_failed, false)) std::erase(unwritable_, &replica);
}

void Replicas::try_writing_again() noexcept {
  for (Replica* const replica : std::exchange(unwritable_, {})) {
    replica->write_failed = false;
    update(*replica);
  }
}

// ---- Brought in early ----

void Replicas::set_early(Replica& replica) noexcept {
  replica.early = true;
  early_bytes_ += replica.block->charge;
}

void Replicas::end_early(Replica& replica) noexcept {
  if (std::exchange(replica.early, false)) early_bytes_ -= replica.block->charge;
}

// ---- Where blocks are ----

std::optional<Place> Replicas::only_place(const Block& block) noexcept {
  const bool home = block.is_used_at_home();
  const Replica* const first = block.replicas;
  if (home) return first == nullptr ? std::optional(block.home.place) : std::nullopt;
  return first != nullptr && first->next == nullptr ? std::optional(first->place) : std::nullopt;
}

void Replicas::note_place(Block& block) noexcept {
  if (std::exchange(block.relocated, true)) return;
  block.next_relocated = std::exchange(relocated_, &block);
  if (listener_ != nullptr) listener_->place_changes(block);
}

Block* Replicas::take_relocated() noexcept {
  if (relocated_ == nullptr) return nullptr;
  Block& block = *std::exchange(relocated_, relocated_->next_relocated);
  block.relocated = false;
  return &block;
}

void Replicas::forget_relocated(Block& block) noexcept {
  if (!std::exchange(block.relocated, false)) return;
  Block** link = &relocated_;
  while (*link != &block) link = &(*link)->next_relocated;
  *link = block.next_relocated;
}

}  // namespace weir::data::engine
