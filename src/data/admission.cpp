// SPDX-License-Identifier: Apache-2.0

// Residency: who gets room, and in which order; the way of a request from spawning to its end.
#include <utility>

#include "base/check.hpp"
#include "data/residency.hpp"

namespace weir::data {

namespace {

constexpr int kMostLookedAtBehind = 32;  // waiting tasks behind one that waits for room

}  // namespace

void Steps::start(Transfer& transfer) noexcept {
  transfer.next = nullptr;
  *transfers_end = &transfer;
  transfers_end = &transfer.next;
}

void Steps::stage(Request& request) noexcept {
  if (request.revocable && std::exchange(request.in_queue, true)) return;
  request.next_staged = nullptr;
  *staged_end = &request;
  staged_end = &request.next_staged;
}

// ---- From spawning to ready ----

void Residency::link(Request& request) {
  if (request.running) {
    request.sequence = ++running_sequence_;
    request.before = nullptr;
    request.after = first_;
    (first_ != nullptr ? first_->before : last_) = &request;
    first_ = &request;
    return;
  }
  request.sequence = ++sequence_;
  request.before = last_;
  request.after = nullptr;
  (last_ != nullptr ? last_->after : first_) = &request;
  last_ = &request;
}

// In the block's queue; mostly the last in the order of spawning.
void Residency::enqueue(Use& use) {
  Block& block = *use.block;
  Use* before = block.last_queued;
  while (before != nullptr && before->request->sequence > use.request->sequence) before = before->before;
  use.before = before;
  use.after = before != nullptr ? before->after : block.first_use;
  (use.before != nullptr ? use.before->after : block.first_use) = &use;
  (use.after != nullptr ? use.after->before : block.last_queued) = &use;
  if (use.before != nullptr) return;  // its next use has not changed
  for (Replica* r = block.replicas; r != nullptr; r = r->next) update_candidate(*r);
}

void Residency::unlink(Use& use) noexcept {
  forget_early(use);
  (use.before != nullptr ? use.before->after : use.block->first_use) = use.after;
  (use.after != nullptr ? use.after->before : use.block->last_queued) = use.before;
}

void Residency::add(Request& request) {
  link(request);
  for (Use& use : request.uses()) enqueue(use);
}

void Residency::add(Request& request, Block& block, Mode mode, bool early, Steps& steps) {
  if (request.sequence == 0) link(request);
  Use* const use = request.add(block, mode);
  if (use == nullptr) return;
  enqueue(*use);
  if (!early || config_.strategy == Strategy::off || config_.strategy == Strategy::inline_) return;
  use->early = true;
  ++early_wanted_;
  bring_early(*use, steps);
}

void Residency::release(Request& request, Block& block, Steps& steps) {
  Use* const use = request.find(block);
  if (use == nullptr) return;
  WEIR_CHECK(request.state != RequestState::waiting && request.state != RequestState::staging,
             "a task that waits for its blocks gives one back");
  unlink(*use);
  if (request.state != RequestState::pending) --block.scheduled;
  block.last_use = ++tick_;
  if (request.state == RequestState::held) publish(*use);
  leave_place(*use);
  request.remove(*use);
  for (Replica* r = block.replicas; r != nullptr; r = r->next) update_candidate(*r);
  evict_unneeded(block, steps);
  advance(steps);
}

bool Residency::withdraw(Request& request, Steps& steps) {
  if (request.state != RequestState::waiting) return false;
  finish(request, steps);
  return true;
}

bool Residency::ready(Request& request, Steps& steps) {
  for (Use& use : request.uses()) {
    ++use.block->scheduled;
    forget_early(use);
  }
  const Admission admission = may_try(request) ? admit(request, steps) : Admission::later;
  if (admission == Admission::held) {
    if (in_order() && queue_behind_others(request, steps)) return false;
    request.in_queue = request.revocable;
    return true;
  }
  if (admission == Admission::staging) return false;
  if (never_fits(request)) {
    overflow(request, steps);
    return false;
  }
  enqueue(request);
  advance(steps);
  return false;
}

// At once, although others wait?
bool Residency::may_try(const Request& request) const noexcept {
  if (is_urgent(request) || (waiting_count_ == 0 && !in_order())) return true;
  return policy::may_pass(newcomer(request));
}

// A worker's own deque is last in, first out: tasks that become ready one after the other would run before older ones
// for as long as there are any, far ahead of the schedule.
bool Residency::queue_behind_others(Request& request, Steps& steps) {
  const bool others = queued_.load(std::memory_order_relaxed) > 1;
  if (others) steps.stage(request);
  return others;
}

policy::Newcomer Residency::newcomer(const Request& request) const noexcept {
  policy::Newcomer result{true, true, !in_order() || wants_more()};
  for (const Use& use : request.uses()) {
    const Block& block = *use.block;
    if (block.home.in_place || block.home_uses != 0) continue;
    bool there = false, pinned = is_held(block);  // by a task that is not tracked, perhaps the parent of this one
    for (const Replica* r = block.replicas; r != nullptr; r = r->next) {
      there = true;
      pinned = pinned || r->pins != 0;
    }
    result.all_in_place = result.all_in_place && there;
    result.all_pinned = result.all_pinned && pinned;
  }
  return result;
}

void Residency::enqueue(Request& request) {
  request.state = RequestState::waiting;
  if (track_ != nullptr) request.waiting_since = trace::Track::now();
  lane_of(request).insert(&request);
  ++waiting_count_;
}

void Residency::dequeue(Request& request) noexcept {
  lane_of(request).erase(&request);
  --waiting_count_;
}

Residency::Lane& Residency::lane_of(const Request& request) noexcept {
  return is_urgent(request) ? urgent_ : lanes_[static_cast<std::size_t>(request.lane) % lanes_.size()];
}

// ---- Admission ----

// Everything in place, or room for all that is missing; else nothing is held for it.
Residency::Admission Residency::admit(Request& request, Steps& steps) {
  steps.lane = request.lane;
  Request* const first = is_urgent(request) ? nullptr : first_waiting();
  const bool passes = first != nullptr && ByTurn{}(first, &request);
  // Tasks that are not tracked may wait for this one, which is perhaps their child.
  const bool waits = passes && policy::is_next(first->passed, config_.workers) && !standstill_;
  if (waits && !untracked_may_run()) return Admission::later;
  Admission admission = try_admit(request, steps);
  while (request.scattered && admission == Admission::later && gather_room(request, steps))
    admission = try_admit(request, steps);
  if (admission == Admission::later) return admission;
  set_scattered(request, false);
  request.last_resort = standstill_;
  if (passes) ++first->passed;
  return admission;
}

bool Residency::admit_waiting(Request& request, Steps& steps) {
  const Admission admission = admit(request, steps);
  if (admission == Admission::later) return false;
  dequeue(request);
  if (admission == Admission::held) steps.stage(request);
  return true;
}

// ---- Those that others wait for ----

bool Residency::try_begin(Request& request) noexcept {
  request.in_queue = false;
  if (request.state == RequestState::waiting || request.state == RequestState::staging) return false;
  begin(request);
  return true;
}

// The last of those that hold room and have not begun gives it back. Not one for which others wait, too: it would be
// admitted again at once, and so on. Nor one that was to end a standstill, unless nobody can begin it. False: there is
// none.
bool Residency::revoke_one(bool stuck) {
  Request* last = queued_.load(std::memory_order_relaxed) != 0 ? last_ : nullptr;
  while (last != nullptr) {
    const bool holds = last->revocable && last->state == RequestState::held;
    const bool may_lose = !is_urgent(*last) && (stuck || !last->last_resort);
    if (holds && may_lose && last->may_begin.exchange(false)) break;  // ADMIT-1
    last = last->before;
  }
  if (last == nullptr) return false;
  for (Use& use : last->uses()) leave_place(use);
  last->in_place = false;
  last->in_place_bytes = 0;
  --held_;
  queued_.fetch_sub(1, std::memory_order_relaxed);
  enqueue(*last);
  return true;
}

bool Residency::has_resuming() const noexcept {
  const Request* r = first_;  // those that run come first
  while (r != nullptr && r->running && !r->may_begin.load(std::memory_order_relaxed)) r = r->after;
  return r != nullptr && r->running;
}

void Residency::advance_urgent(bool stuck, Steps& steps) {
  for (auto at = urgent_.begin(); at != urgent_.end();) {
    Request& request = **at++;
    bool admitted = admit_waiting(request, steps);
    while (!admitted && place(target_of(request, 0)).leaving_bytes == 0 && revoke_one(stuck))
      admitted = admit_waiting(request, steps);
  }
}

// ---- Those that wait ----

void Residency::advance(Steps& steps) {
  if (!urgent_.empty()) {
    advance_urgent(false, steps);
    if (!urgent_.empty() && !standstill_) return;
  }
  if (early_wanted_ != 0) [[unlikely]]
    advance_early(steps);
  if (in_order()) return advance_in_order(steps);
  bool progress = waiting_count_ != 0;
  while (progress) {
    progress = false;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {  // one of each in turn
      const Lane& lane = lanes_[(next_lane_ + i) % lanes_.size()];
      if (!lane.empty()) progress = admit_waiting(**lane.begin(), steps) || progress;
    }
    next_lane_ = (next_lane_ + 1) % lanes_.size();
  }
  if (waiting_count_ != 0) {
    for (const Lane& lane : lanes_) advance_others(lane, steps);
  }
}

void Residency::advance_others(const Lane& lane, Steps& steps) {
  if (lane.size() < 2) return;
  int looked_at = 0;
  for (auto at = std::next(lane.begin()); at != lane.end() && looked_at < kMostLookedAtBehind; ++looked_at) {
    Request& request = **at++;
    if (policy::may_pass(newcomer(request))) admit_waiting(request, steps);
  }
}

// When it is stuck, nobody else is given what those that run may want.
void Residency::break_standstill(bool stuck, Steps& steps) {
  standstill_ = true;
  if (stuck) {
    advance_urgent(stuck, steps);
  } else {
    advance(steps);
  }
  standstill_ = false;
  if (waiting_count_ == 0 || under_way_ != 0 || (has_queued() && !stuck) || !steps.empty()) return;
  Request* const first = first_waiting();
  WEIR_CHECK(first != nullptr, "a stall in which no task waits");
  if (stuck && !is_urgent(*first)) return;
  dequeue(*first);
  overflow(*first, steps);
  try_writing_again();
}

// Null when none waits.
Request* Residency::first_waiting() noexcept {
  if (waiting_count_ == 0) return nullptr;
  if (!urgent_.empty()) return *urgent_.begin();
  Request* first = nullptr;
  for (const Lane& lane : lanes_)
    if (!lane.empty() && (first == nullptr || ByTurn{}(*lane.begin(), first))) first = *lane.begin();
  return first;
}

// ---- The end ----

void Residency::finish(Request& request, Steps& steps) {
  WEIR_CHECK(request.state != RequestState::staging, "a task ends while its blocks are being staged");
  const bool was_ready = request.state != RequestState::pending;
  const bool ran = request.state == RequestState::held && !request.cancelled;
  if (request.state == RequestState::waiting) dequeue(request);
  if (request.state == RequestState::held) {
    --held_;
    begin(request);  // cancelled: it never did
  }
  (request.before != nullptr ? request.before->after : first_) = request.after;
  (request.after != nullptr ? request.after->before : last_) = request.before;
  ++tick_;
  for (Use& use : request.uses()) {
    Block& block = *use.block;
    unlink(use);
    if (was_ready) --block.scheduled;
    block.last_use = tick_;
    if (ran) publish(use);
    leave_place(use);
    for (Replica* r = block.replicas; r != nullptr; r = r->next) update_candidate(*r);
  }
  for (Use& use : request.uses()) evict_unneeded(*use.block, steps);
  advance(steps);
}

}  // namespace weir::data
