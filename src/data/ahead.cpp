// SPDX-License-Identifier: Apache-2.0

// Residency: what is brought in before its task is ready, and who is admitted meanwhile, in the order of spawning.
#include <algorithm>
#include <utility>

#include "data/policy/admit.hpp"
#include "data/policy/prefetch.hpp"
#include "data/residency.hpp"

namespace weir::data {

// Goes through the tasks that do not run yet in the order in which they were spawned, which is the order that programs
// choose for reuse. Those that are ready are admitted, but only as many as keep the workers busy: more would use up
// room out of turn. For the others it brings in what they will read, and makes what is needed later leave early enough;
// nothing is pinned for them.
void Residency::advance_in_order(Steps& steps) {
  for (Place& p : places_) p.owed = 0;
  const std::size_t limit = policy::early_limit(tiers_.tiers()[top_].budget.count);
  policy::Ahead ahead{early_bytes_, limit, 0, config_.depth};
  Request* r = untracked_may_run() ? nullptr : first_;
  const Request* next = nullptr;
  for (; r != nullptr && policy::look_further(ahead); r = r->after) {
    if (!has_yet_to_begin(*r)) continue;
    if (next == nullptr) next = r;
    ++ahead.tasks_looked_at;
    const bool waits = r->state == RequestState::waiting && wants_more();
    if (waits && admit_waiting(*r, steps)) continue;
    if (scattered_ != 0) break;  // what would be brought in could lie in its way again
    if (!prefetch(*r, ahead, next->sequence, steps)) break;
    if (waits && held_ + staging_ == 0) break;  // what it waits for must not be taken by what comes after it
  }
  // Beyond the tasks that were looked at, when workers have nothing to do.
  Lane& lane = lanes_.front();
  const auto some_idle = [&] { return standstill_ || held_ + staging_ < config_.workers; };
  for (auto at = lane.begin(); at != lane.end() && some_idle();) {
    Request& request = **at++;
    if (!admit_waiting(request, steps) && under_way_ != 0) break;
  }
}

bool Residency::has_yet_to_begin(const Request& request) noexcept {
  return !request.running && (request.state == RequestState::pending || request.state == RequestState::waiting);
}

// At the latest the one of `request`, which has yet to begin.
policy::Sequence Residency::first_to_begin(const Request& request) const noexcept {
  const Request* r = first_;
  while (r != &request && !has_yet_to_begin(*r)) r = r->after;
  return r->sequence;
}

bool Residency::wants_more() const noexcept {
  return queued_.load(std::memory_order_relaxed) + staging_ < policy::kStagedPerWorker * config_.workers;
}

// False: there is no room, nor will there be.
bool Residency::prefetch(Request& request, policy::Ahead& ahead, policy::Sequence now, Steps& steps) {
  const policy::Later later{request.sequence, now};
  for (Use& use : request.uses()) {
    Block& block = *use.block;
    if (!can_come_early(use)) continue;
    Arena& target = target_of(request, block.charge);
    Place& p = place(target);
    if (early_bytes_ + p.owed >= ahead.early_limit) return false;
    p.owed += block.charge;
    if (!make_room_for_later(target, p.owed, later, steps)) return false;
    if (!start_early(use, target, later, steps)) continue;  // when something has left
    p.owed -= block.charge;
    ahead.early_bytes = early_bytes_;
  }
  return true;
}

bool Residency::can_come_early(const Use& use) const noexcept {
  const Block& block = *use.block;
  if (block.home.in_place || block.home_uses != 0 || block.replicas != nullptr) return false;
  if (block.fetch_failed) return false;  // the task shall be told
  return !(use.fresh && block.written);  // somebody may still read what is there
}

// False: not all that is owed has room yet.
bool Residency::start_early(Use& use, Arena& target, const policy::Later& later, Steps& steps) {
  Block& block = *use.block;
  const std::size_t free = target.budget() - std::min(target.budget(), target.used());
  if (place(target).owed > free) return false;
  std::uint64_t offset = target.allocate(block.charge);
  if (offset == Arena::kNowhere && make_hole_for_later(target, hole_for(use), later, steps) == Room::made)
    offset = target.allocate(block.charge);
  if (offset == Arena::kNowhere) return false;
  Replica* const replica = new_replica(block, target, offset);
  change_state(*replica, ReplicaState::filling);
  set_address(block);
  if (block.written) {
    start_fetch(*replica, true, steps);
    replica->early = true;  // until a task uses it
    early_bytes_ += block.charge;
  } else {
    change_state(*replica, ReplicaState::clean);
    update_candidate(*replica);
  }
  return true;
}

void Residency::forget_early(Use& use) noexcept {
  if (std::exchange(use.early, false)) --early_wanted_;
}

// One block, out of turn: its maker says that it will be needed soon. Now, or when something has left.
void Residency::bring_early(Use& use, Steps& steps) {
  Block& block = *use.block;
  if (!can_come_early(use) || !block.written) return forget_early(use);
  Arena& target = target_of(*use.request, block.charge);
  Place& p = place(target);
  if (scattered_ != 0 || early_bytes_ >= policy::early_limit(tiers_.tiers()[top_].budget.count)) return;
  const std::size_t owed = std::exchange(p.owed, block.charge);
  const policy::Later later{use.request->sequence, first_to_begin(*use.request)};
  if (make_room_for_later(target, p.owed, later, steps) && start_early(use, target, later, steps)) forget_early(use);
  p.owed = owed;
}

void Residency::advance_early(Steps& steps) {
  std::uint32_t looked_at = 0;
  for (Request* r = first_; r != nullptr && early_wanted_ != 0 && looked_at < config_.depth; r = r->after) {
    if (r->state != RequestState::pending) continue;
    ++looked_at;
    for (Use& use : r->uses())
      if (use.early) bring_early(use, steps);
  }
}

}  // namespace weir::data
