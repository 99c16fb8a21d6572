// SPDX-License-Identifier: Apache-2.0

#include "data/engine/transfers.hpp"

#include <utility>

#include "base/check.hpp"

namespace weir::data::engine {

// ---- Starting ----

void Transfers::start_fetch(Replica& replica, bool ahead, Actions& actions) {
  const Block& block = *replica.block;
  Replica* source = nullptr;
  for (Replica* r = block.replicas; r != nullptr; r = r->next) {
    if (r == &replica || r->stale || r->blank || r->state == ReplicaState::filling) continue;
    if (source == nullptr || r->place.node < source->place.node) source = r;  // the faster one
  }
  WEIR_CHECK(source != nullptr || block.home.current, "a block has contents, but nowhere");
  if (source != nullptr) {
    core_.replicas.withdraw(*source);
    ++source->pins;
  }
  replica.transfer = {Transfer::Kind::fetch, ahead, actions.lane, &replica, source, nullptr, 0};
  ++core_.load.under_way;
  if (ahead) ++core_.counters.prefetches;
  actions.start(replica.transfer);
}

bool Transfers::start_write_back(Replica& replica, bool leaving, Actions& actions) {
  core_.replicas.withdraw(replica);
  if (base::Status status = homes_.give_place(*replica.block); !status) {
    set_write_failed(replica, status);
    return false;
  }
  begin_draining(replica, nullptr, leaving, actions);
  return true;
}

void Transfers::start_descent(Replica& replica, Replica& lower, Actions& actions) {
  core_.replicas.withdraw(replica);
  replica.was_dirty = replica.state == ReplicaState::dirty;
  begin_draining(replica, &lower, true, actions);
}

void Transfers::begin_draining(Replica& replica, Replica* lower, bool leaving, Actions& actions) {
  change_state(replica, ReplicaState::draining);
  replica.leaving = leaving;
  if (leaving) core_.ledger.begin_leaving(replica.place.node, replica.block->charge);
  replica.transfer = {Transfer::Kind::write_back, false, actions.lane, &replica, lower, nullptr, 0};
  ++core_.load.under_way;
  actions.start(replica.transfer);
}

void Transfers::take_over(Replica& dirty, Replica& lower) noexcept {
  change_state(dirty, ReplicaState::draining);
  change_state(dirty, ReplicaState::clean);
  change_state(lower, ReplicaState::dirty);
}

void Transfers::set_write_failed(Replica& replica, const base::Status& status) {
  ++core_.counters.failures;
  core_.write_failure = status;
  core_.replicas.set_unwritable(replica);
}

void Transfers::try_writing_again() noexcept {
  core_.write_failure = base::Status::success();
  core_.replicas.try_writing_again();
}

// ---- Landing ----

void Transfers::land(Transfer& transfer, const base::Status& status, Actions& actions) {
  --core_.load.under_way;
  if (transfer.kind == Transfer::Kind::fetch)
    land_fetch(*transfer.replica, status);
  else
    land_write_back(*transfer.replica, status, actions);
}

void Transfers::settle(Transfer& transfer) noexcept {
  if (transfer.kind == Transfer::Kind::fetch)
    settle_fetch(*transfer.replica);
  else
    settle_write_back(*transfer.replica);
}

void Transfers::land_fetch(Replica& replica, const base::Status& status) noexcept {
  Block& block = *replica.block;
  Replica* const source = replica.transfer.other;
  if (source != nullptr) --source->pins;
  block.fetch_failed = !status;
  if (!status) {
    change_state(replica, ReplicaState::absent);
  } else {
    core_.counters.bytes_fetched += block.size;
    change_state(replica, ReplicaState::clean);
    if (source != nullptr && source->state == ReplicaState::dirty) take_over(*source, replica);
  }
  if (source != nullptr) core_.replicas.update(*source);
}

void Transfers::settle_fetch(Replica& replica) noexcept {
  Block& block = *replica.block;
  if (replica.state == ReplicaState::absent || (replica.stale && replica.pins == 0))
    core_.replicas.drop(replica);
  else
    core_.replicas.update(replica);
  core_.replicas.update_copies(block);
}

void Transfers::land_write_back(Replica& replica, const base::Status& status, Actions& actions) {
  Block& block = *replica.block;
  if (replica.leaving) core_.ledger.end_leaving(replica.place.node, block.charge);
  if (replica.transfer.other != nullptr) {
    land_in_lower(replica, *replica.transfer.other, status);
  } else if (status) {
    core_.counters.bytes_written_back += block.size;
    change_state(replica, ReplicaState::clean);
    if (!replica.stale) block.home.current = true;
    core_.replicas.set_writable(replica);
  } else {
    change_state(replica, ReplicaState::dirty);  // nothing is lost
    if (core_.counters.failures == 0) actions.warnings.push_back(status.message);
    set_write_failed(replica, status);
  }
}

// What failed on the way to a slower tier is tried again, perhaps to the home.
void Transfers::land_in_lower(Replica& replica, Replica& lower, const base::Status& status) noexcept {
  const bool newest = std::exchange(replica.was_dirty, false);
  if (!status) {
    ++core_.counters.failures;
    change_state(replica, newest && !replica.stale ? ReplicaState::dirty : ReplicaState::clean);
    return change_state(lower, ReplicaState::absent);
  }
  core_.counters.bytes_written_back += replica.block->size;
  change_state(replica, ReplicaState::clean);
  change_state(lower, ReplicaState::clean);
  if (newest && !lower.stale) change_state(lower, ReplicaState::dirty);
}

void Transfers::settle_write_back(Replica& replica) noexcept {
  Block& block = *replica.block;
  Replica* const lower = std::exchange(replica.transfer.other, nullptr);
  if (lower != nullptr && (lower->state == ReplicaState::absent || (lower->stale && lower->pins == 0)))
    core_.replicas.drop(*lower);
  const NodeId node = replica.place.node;
  const bool makes_hole = core_.replicas.coming_hole(node) == &replica;
  const bool unneeded = std::exchange(replica.leaving, false) || replica.stale;
  if (replica.state == ReplicaState::clean && replica.pins == 0 && unneeded) drop_evicted(replica);
  if (makes_hole) {
    core_.replicas.set_coming_hole(node, nullptr);
    core_.ledger.trim(node);
  }
  core_.replicas.update_all(block);
}

void Transfers::drop_evicted(Replica& replica) noexcept {
  ++core_.counters.evictions;
  if (core_.observer != nullptr) core_.observer->evicted(replica);
  Block& block = *replica.block;
  core_.replicas.drop(replica);
  core_.replicas.update_copies(block);
}

}  // namespace weir::data::engine
