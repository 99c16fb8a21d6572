// SPDX-License-Identifier: Apache-2.0

#include "data/engine/pins.hpp"

#include <utility>

namespace weir::data::engine {

// One in a slower tier is not, unless a task has it, perhaps one around this one. Under local-fast nor is one near
// other workers, unless something counts on it.
bool Pins::is_good(const Replica& replica, NodeId target) const noexcept {
  if (core_.chain && core_.tier_of(replica) > core_.hierarchy().tier_of(target)) [[unlikely]]
    return replica.block->is_held() || replica.pins != 0;
  if (core_.config.allocation != Allocation::local_fast || replica.place.node == target) return true;
  return replica.block->is_held() || replica.pins != 0 || !replica.is_idle();
}

bool Pins::is_better(const Replica& a, const Replica& b, NodeId target) const noexcept {
  if ((a.pins != 0) != (b.pins != 0)) return a.pins != 0;
  if (core_.chain && core_.tier_of(a) != core_.tier_of(b)) return core_.tier_of(a) < core_.tier_of(b);
  return a.place.node == target;
}

bool Pins::take(Use& use, NodeId target, Reuse reuse) {
  Block& block = *use.block;
  if (block.is_used_at_home()) {
    take_home(use);
    return true;
  }
  const Replica* source = nullptr;  // of a copy that those who write wait for: they must all get the same one
  for (Replica* r = block.replicas; r != nullptr && writes(use.mode); r = r->next) {
    if (r->state == ReplicaState::filling && r->transfer.other != nullptr) source = r->transfer.other;
  }
  Replica* best = nullptr;
  for (Replica* r = block.replicas; r != nullptr; r = r->next) {
    if (r->stale || r == source || (reuse == Reuse::good && !is_good(*r, target))) continue;
    if (best == nullptr || is_better(*r, *best, target)) best = r;
  }
  if (best == nullptr) return false;
  take_replica(use, *best);
  return true;
}

void Pins::take_home(Use& use) noexcept {
  use.at_home = true;
  ++use.block->home_uses;
  core_.replicas.note_place(*use.block);
}

void Pins::take_replica(Use& use, Replica& replica) noexcept {
  core_.replicas.withdraw(replica);
  ++replica.pins;
  use.replica = &replica;
  const bool wait =
      replica.state == ReplicaState::filling || (replica.state == ReplicaState::draining && writes(use.mode));
  if (!wait) return;
  use.next_landing = replica.landing;
  replica.landing = &use;
  ++use.request->landing;
}

void Pins::leave(Use& use) noexcept {
  if (use.at_home) {
    --use.block->home_uses;
    use.at_home = false;
    return core_.replicas.note_place(*use.block);
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
  if (worthless && replica->pins == 0) return core_.replicas.discard(*replica);
  core_.replicas.update(*replica);
}

void Pins::publish(Use& use) noexcept {
  if (!writes(use.mode)) return;
  Block& block = *use.block;
  block.written = true;
  if (use.at_home) {
    block.home.current = true;
    return core_.replicas.forget_others(block, nullptr);
  }
  block.home.current = false;
  use.replica->blank = false;
  if (use.replica->state == ReplicaState::clean) change_state(*use.replica, ReplicaState::dirty);
  core_.replicas.forget_others(block, use.replica);
}

}  // namespace weir::data::engine
