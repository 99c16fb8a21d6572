// SPDX-License-Identifier: Apache-2.0

#include "data/engine/admission.hpp"

namespace weir::data::engine {

Admitted Admission::admit_ready(Request& request, Actions& actions) {
  const Admitted admitted = may_try(request) ? admit(request, actions) : Admitted::later;
  if (admitted == Admitted::staging) return admitted;
  if (admitted == Admitted::held) {
    if (strategy_->in_order() && queue_behind_others(request, actions)) return Admitted::later;
    request.in_queue = request.revocable;
    return admitted;
  }
  if (fit_.never_fits(request))
    staging_.overflow(request, actions);
  else
    enqueue(request, admitted == Admitted::fragmented);
  return Admitted::later;
}

// At once, although others wait?
bool Admission::may_try(const Request& request) const noexcept {
  if (Fit::is_urgent(request) || (core_.load.waiting == 0 && !strategy_->in_order())) return true;
  return may_pass(request);
}

// A worker's own deque is last in, first out: tasks that become ready one after the other would run before older ones
// for as long as there are any, far ahead of the schedule.
bool Admission::queue_behind_others(Request& request, Actions& actions) {
  const bool others = core_.load.queued_now() > 1;
  if (others) actions.stage(request);
  return others;
}

policy::Newcomer Admission::newcomer(const Request& request) const noexcept {
  policy::Newcomer result{true, true, !strategy_->in_order() || strategy_->wants_more()};
  for (const Use& use : request.uses()) {
    const Block& block = *use.block;
    if (block.is_used_at_home()) continue;
    bool there = false, pinned = block.is_held();  // by a task that is not tracked, perhaps the parent of this one
    for (const Replica* r = block.replicas; r != nullptr; r = r->next) {
      there = true;
      pinned = pinned || r->pins != 0;
    }
    result.all_in_place = result.all_in_place && there;
    result.all_pinned = result.all_pinned && pinned;
  }
  return result;
}

void Admission::enqueue(Request& request, bool fragmented) {
  if (core_.observer != nullptr) core_.observer->waits_for_room(request);
  const RequestState state = fragmented ? RequestState::fragmented : RequestState::waiting;
  if (request.state() != state) core_.set_state(request, state);
  lane_of(request).insert(&request);
}

Admission::Lane& Admission::lane_of(const Request& request) noexcept {
  return Fit::is_urgent(request) ? urgent_ : lanes_[static_cast<std::size_t>(request.lane) % lanes_.size()];
}

// Everything in place, or room for all that is missing; else nothing is held for it.
Admitted Admission::admit(Request& request, Actions& actions) {
  actions.lane = request.lane;
  Request* const first = Fit::is_urgent(request) ? nullptr : first_waiting();
  const bool passes = first != nullptr && ByTurn{}(first, &request);
  // Tasks that are not tracked may wait for this one, which is perhaps their child.
  const bool waits = passes && policy::is_next(first->passed, core_.config.workers) && !core_.ends_stall;
  if (waits && !untracked_may_run()) return Admitted::later;
  Admitted admitted = staging_.stage(request, strategy_->demand_of(request), actions);
  bool fragmented = admitted == Admitted::fragmented || request.state() == RequestState::fragmented;
  while (fragmented && admitted != Admitted::held && admitted != Admitted::staging &&
         staging_.gather_room(request, actions)) {
    admitted = staging_.stage(request, strategy_->demand_of(request), actions);
  }
  if (admitted == Admitted::later || admitted == Admitted::fragmented)
    return fragmented ? Admitted::fragmented : Admitted::later;
  request.last_resort = core_.ends_stall;
  if (passes) ++first->passed;
  return admitted;
}

bool Admission::admit_waiting(Request& request, Actions& actions) {
  const Admitted admitted = admit(request, actions);
  if (admitted == Admitted::later) return false;
  if (admitted == Admitted::fragmented) {
    core_.set_state(request, RequestState::fragmented);
    return false;
  }
  remove(request);
  if (admitted == Admitted::held) actions.stage(request);
  return true;
}

// ---- Those that others wait for ----

// The last of those that hold room and have not begun gives it back. Not one for which others wait, too: it would be
// admitted again at once, and so on. Nor one that was to end a stall, unless no worker can begin it. False: there is
// none.
bool Admission::revoke_one(bool stuck) {
  Request* last = core_.load.queued_now() != 0 ? core_.schedule.last() : nullptr;
  while (last != nullptr) {
    const bool holds = last->revocable && last->state() == RequestState::held;
    const bool may_lose = !Fit::is_urgent(*last) && (stuck || !last->last_resort);
    if (holds && may_lose && core_.revoke(*last)) break;
    last = last->before;
  }
  if (last == nullptr) return false;
  staging_.give_up_places(*last);
  enqueue(*last, false);
  return true;
}

void Admission::advance_urgent(bool stuck, Actions& actions) {
  for (auto at = urgent_.begin(); at != urgent_.end();) {
    Request& request = **at++;
    bool admitted = admit_waiting(request, actions);
    while (!admitted && core_.ledger.leaving(fit_.target_of(request).node) == 0 && revoke_one(stuck))
      admitted = admit_waiting(request, actions);
  }
}

Request* Admission::first_waiting() noexcept {
  if (core_.load.waiting == 0) return nullptr;
  if (!urgent_.empty()) return *urgent_.begin();
  Request* first = nullptr;
  for (const Lane& lane : lanes_)
    if (!lane.empty() && (first == nullptr || ByTurn{}(*lane.begin(), first))) first = *lane.begin();
  return first;
}

}  // namespace weir::data::engine
