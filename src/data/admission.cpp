// Residency: from a task that is spawned to one that holds all its blocks, and to its end.
#include <fmt/format.h>

#include <algorithm>

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
  Admission admission = Admission::later;
  const policy::Newcomer fresh = newcomer(request);
  const bool in_turn = waiting_count_ == 0 && !in_order();
  const bool may_pass =
      is_urgent(request) || (policy::may_pass(fresh) && (!in_order() || fresh.all_pinned || wants_more()));
  if (in_turn || may_pass) {
    admission = admit(request, steps);
    if (waiting_count_ != 0 && admission != Admission::later) ++passed_;
  }
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

// A worker's own deque is last in, first out: tasks that become ready one after the other would run before older ones
// for as long as there are any, far ahead of the schedule.
bool Residency::queue_behind_others(Request& request, Steps& steps) {
  const bool others = queued_.load(std::memory_order_relaxed) > 1;
  if (others) steps.stage(request);
  return others;
}

policy::Newcomer Residency::newcomer(Request& request) noexcept {
  policy::Newcomer result{true, true, passed_, config_.workers};
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
  if (--waiting_count_ == 0) passed_ = 0;
}

Residency::Lane& Residency::lane_of(const Request& request) noexcept {
  return is_urgent(request) ? urgent_ : lanes_[static_cast<std::size_t>(request.lane) % lanes_.size()];
}

// ---- Those that others wait for ----

bool Residency::try_begin(Request& request) noexcept {
  request.in_queue = false;
  if (request.state == RequestState::waiting || request.state == RequestState::staging) return false;
  begin(request);
  return true;
}

// The last of those that hold room and have not begun gives it back. Not one for which others wait, too: it would be
// admitted again at once, and so on. False: there is none.
bool Residency::revoke_one() {
  Request* last = queued_.load(std::memory_order_relaxed) != 0 ? last_ : nullptr;
  while (last != nullptr) {
    const bool holds = last->revocable && last->state == RequestState::held;
    if (holds && !is_urgent(*last) && !last->last_resort && last->may_begin.exchange(false)) break;  // ADMIT-1
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

void Residency::advance_urgent(Steps& steps) {
  for (auto at = urgent_.begin(); at != urgent_.end();) {
    Request& request = **at++;
    Admission admission = admit(request, steps);
    while (admission == Admission::later && place(target_of(request, 0)).leaving_bytes == 0 && revoke_one())
      admission = admit(request, steps);
    if (admission == Admission::later) continue;
    dequeue(request);
    if (admission == Admission::held) steps.stage(request);
  }
}

// ---- Admission ----

// Everything in place, or room for all that is missing; else nothing is held for it.
Residency::Admission Residency::admit(Request& request, Steps& steps) {
  steps.lane = request.lane;
  Request* const first = is_urgent(request) ? nullptr : first_in_lanes();
  const bool passes = first != nullptr && first != &request && ByTurn{}(first, &request);
  // Tasks that are not tracked may wait for this one, which is perhaps their child.
  const bool waits = passes && policy::is_next(first->passed, config_.workers) && !standstill_;
  if (waits && !untracked_may_run()) return Admission::later;
  Admission admission = Admission::later;
  if (!request.scattered) admission = try_admit(request, steps);
  if (request.scattered && gather_room(request, steps)) admission = try_admit(request, steps);
  if (admission == Admission::later) return admission;
  set_scattered(request, false);
  request.last_resort = standstill_;
  if (passes) ++first->passed;
  return admission;
}

// What is there may lie so that the rest does not fit between. Then all that nobody uses leaves, the task's own blocks,
// too, and nothing is brought in ahead meanwhile. True: there is nothing left to leave.
bool Residency::gather_room(Request& request, Steps& steps) {
  const auto gather_in = [&](Arena& arena) {
    Place& p = place(arena);
    while (!p.leaving_order.empty()) evict(**p.leaving_order.begin(), steps);
    if (p.leaving_bytes == 0) arena.trim();
    return p.leaving_bytes == 0;
  };
  if (!needs_several_nodes(request)) return gather_in(target_of(request, fast_bytes(request)));
  bool all = true;
  for (Arena* const arena : tiers_.tiers()[top_].arenas) all = gather_in(*arena) && all;
  return all;
}

void Residency::set_scattered(Request& request, bool scattered) noexcept {
  if (std::exchange(request.scattered, scattered) != scattered) scattered_ += scattered ? 1 : -1;
}

Residency::Admission Residency::try_admit(Request& request, Steps& steps) {
  Arena& target = target_of(request, fast_bytes(request));
  std::size_t missing = 0;
  std::uint64_t hits = 0, misses = 0;
  for (Use& use : request.uses()) {
    if (take_place(use, target)) {
      ++hits;
    } else {
      missing += use.block->charge;
      ++misses;
    }
  }
  if (missing != 0 && !place_missing(request, target, missing, steps)) {
    for (Use& use : request.uses()) leave_place(use);
    request.landing = 0;
    return Admission::later;
  }
  counters_.hits += hits;
  counters_.misses += misses;
  note_used(request);
  if (request.landing == 0) {
    hold(request);
    return Admission::held;
  }
  request.state = RequestState::staging;
  if (track_ != nullptr) record_staging(request);
  ++staging_;
  return Admission::staging;
}

// In order, what an earlier task needs stays as long as anything runs or moves: that brings the earlier task on.
policy::Demand Residency::demand_of(const Request& request) const noexcept {
  if (standstill_) return {request.sequence, 0, 1};
  if (in_order()) return {request.sequence, held_ + staging_ + under_way_, 1};
  return {request.sequence, queued_.load(std::memory_order_relaxed), config_.workers};
}

// In the target; where any node of the tier will do, in the first that has room or can make some, or, when none holds
// it all, on several.
bool Residency::place_missing(Request& request, Arena& target, std::size_t missing, Steps& steps) {
  const policy::Demand demand = demand_of(request);
  bool in_pieces = false;
  const auto fill = [&](Room room, Arena& arena) {
    if (room != Room::made || fill_missing(request, arena, steps)) return room;
    in_pieces = true;
    return Room::none;
  };
  const auto try_in = [&](Arena& arena) {
    return fill(make_room(arena, missing + place(arena).owed, demand, steps), arena);
  };
  for (Use& use : request.uses()) use.planned = nullptr;
  Room room = Room::none;
  if (needs_several_nodes(request)) {
    room = fill(place_over_nodes(request, demand, steps), target);
  } else {
    room = try_in(target);
    if (config_.allocation == Allocation::fast) {
      for (Arena* const arena : tiers_.tiers()[top_].arenas) {
        if (room == Room::none && arena != &target) room = try_in(*arena);
      }
    }
  }
  if (room == Room::none && in_pieces) set_scattered(request, true);
  return room == Room::made;
}

std::size_t Residency::can_give(const Arena& arena) noexcept {
  return arena.budget() - std::min(arena.budget(), place(arena).permanent);
}

// Where any node of the tier will do, and none holds the whole footprint.
bool Residency::needs_several_nodes(Request& request) noexcept {
  const auto& arenas = tiers_.tiers()[top_].arenas;
  if (config_.allocation != Allocation::fast || arenas.size() < 2) return false;
  const std::size_t bytes = wanted_bytes(request);
  return std::none_of(arenas.begin(), arenas.end(), [&](const Arena* a) { return bytes <= room_for(request, *a); });
}

bool Residency::is_missing(const Use& use) const noexcept { return !use.at_home && use.replica == nullptr; }

// The largest block first, each on the node that has most left. False: they do not fit so.
template <class Which, class Capacity>
bool Residency::plan_over_nodes(Request& request, Which which, Capacity capacity) {
  const auto& arenas = tiers_.tiers()[top_].arenas;
  planned_.clear();
  for (Arena* const arena : arenas) planned_.push_back(capacity(*arena));
  for (Use& use : request.uses()) use.planned = nullptr;
  while (true) {
    Use* largest = nullptr;
    for (Use& use : request.uses()) {
      if (use.planned != nullptr || !which(use)) continue;
      if (largest == nullptr || use.block->charge > largest->block->charge) largest = &use;
    }
    if (largest == nullptr) return true;
    const auto most = std::max_element(planned_.begin(), planned_.end());
    if (*most < largest->block->charge) return false;
    *most -= largest->block->charge;
    largest->planned = arenas[static_cast<std::size_t>(most - planned_.begin())];
  }
}

Residency::Room Residency::place_over_nodes(Request& request, const policy::Demand& demand, Steps& steps) {
  const auto capacity = [&](Arena& arena) {
    Place& p = place(arena);
    const std::size_t soon = arena.budget() - std::min(arena.budget(), arena.used()) + p.leaving_bytes;
    const std::size_t all = soon + displaceable(p, demand);
    return all - std::min(all, p.owed);
  };
  if (!plan_over_nodes(
          request, [&](const Use& use) { return is_missing(use); }, capacity))
    return Room::none;
  Room room = Room::made;
  for (Arena* const arena : tiers_.tiers()[top_].arenas) {
    std::size_t bytes = 0;
    for (const Use& use : request.uses()) bytes += use.planned == arena ? use.block->charge : 0;
    if (bytes == 0) continue;
    const Room here = make_room(*arena, bytes + place(*arena).owed, demand, steps);
    if (here == Room::none) return here;
    if (here == Room::coming) room = here;
  }
  return room;
}

Arena& Residency::target_of(const Request& request, std::size_t missing) noexcept {
  Arena* const arena = tiers_.arena_for(config_.allocation, DomainId(request.domain), Bytes{missing});
  return arena != nullptr ? *arena : default_arena(request.domain);
}

// What the task needs in the fast tier when nothing is there, small blocks by the slab. Whether there is room now, the
// arena is asked: a slab that it has may do.
std::size_t Residency::fast_bytes(Request& request) noexcept {
  Arena::Sum sum;
  for (const Use& use : request.uses())
    if (!use.block->home.in_place) sum.add(use.block->charge);
  return sum.bytes();
}

// A task around it has the block for as long as this one waits.
bool Residency::is_kept(const Request& request, const Block& block) noexcept {
  for (Request* around = request.parent; around != nullptr; around = around->parent)
    if (around->find(block) != nullptr) return true;
  return false;
}

// What the tasks around it take of the arena, or, without one, of all. A block that one of them uses in a file's pages
// counts as if it had room, so that it does not depend on time who fits beside them.
std::size_t Residency::kept_around(const Request& request, const Arena* arena) noexcept {
  std::size_t bytes = 0;
  for (const Block* const block : request.beside) {
    const Replica* r = block->replicas;
    while (r != nullptr && arena != nullptr && r->arena != arena) r = r->next;
    if (r != nullptr || block->home_uses != 0) bytes += block->home.in_place ? 0 : block->charge;
  }
  for (Request* around = request.parent; around != nullptr; around = around->parent) {
    for (const Use& use : around->uses()) {
      const Block& block = *use.block;
      const bool counted = [&] {
        for (Request* inner = request.parent; inner != around; inner = inner->parent)
          if (inner->find(block) != nullptr) return true;
        return false;
      }();
      const bool in_file = use.at_home && block.home.kind == Home::Kind::file;
      const bool here = use.replica != nullptr && (arena == nullptr || use.replica->arena == arena);
      if (!counted && (in_file || here)) bytes += block.charge;
    }
  }
  return bytes;
}

// What it needs beside that in the fast tier.
std::size_t Residency::wanted_bytes(Request& request) noexcept {
  Arena::Sum sum;
  for (const Use& use : request.uses())
    if (!use.block->home.in_place && !is_kept(request, *use.block)) sum.add(use.block->charge);
  return sum.bytes();
}

std::size_t Residency::room_for(const Request& request, const Arena& arena) noexcept {
  const std::size_t budget = can_give(arena);
  return budget - std::min(budget, kept_around(request, &arena));
}

// Only under local-fast is a replica beside other workers not good enough, as long as nobody counts on it.
bool Residency::reuse(const Replica& replica, const Use& use, const Arena& target) const noexcept {
  if (config_.allocation != Allocation::local_fast || replica.arena == &target) return true;
  const Block& block = *use.block;
  return is_held(block) || replica.pins != 0 || replica.state == ReplicaState::filling ||
         replica.state == ReplicaState::draining;
}

// Pins the block where it is. False: it has to be brought to `target`.
bool Residency::take_place(Use& use, Arena& target) {
  Block& block = *use.block;
  if (block.home.in_place || block.home_uses != 0) {
    pin_home(use);
    return true;
  }
  Replica* best = nullptr;
  const Replica* source = nullptr;  // of a copy that those who write wait for: they must all get the same one
  for (Replica* r = block.replicas; r != nullptr && writes(use.mode); r = r->next) {
    if (r->state == ReplicaState::filling && r->transfer.source != nullptr) source = r->transfer.source;
  }
  for (Replica* r = block.replicas; r != nullptr; r = r->next) {
    if (r->stale || r == source || !reuse(*r, use, target)) continue;
    const bool better = best == nullptr || (r->pins != 0 && best->pins == 0) ||
                        ((r->pins != 0) == (best->pins != 0) && r->arena == &target);
    if (better) best = r;
  }
  if (best == nullptr) return false;
  pin(use, *best);
  return true;
}

void Residency::pin_home(Use& use) noexcept {
  const Block& block = *use.block;
  use.at_home = true;
  use.address = block.home.address;
  ++use.block->home_uses;
}

void Residency::pin(Use& use, Replica& replica) noexcept {
  withdraw_candidate(replica);
  ++replica.pins;
  use.replica = &replica;
  use.address = replica.address;
  const bool wait =
      replica.state == ReplicaState::filling || (replica.state == ReplicaState::draining && writes(use.mode));
  if (!wait) return;
  use.next_landing = replica.landing;
  replica.landing = &use;
  ++use.request->landing;
}

// What was brought in ahead for it was not in vain.
void Residency::note_used(Request& request) noexcept {
  for (const Use& use : request.uses()) {
    if (use.replica != nullptr && std::exchange(use.replica->early, false)) early_bytes_ -= use.block->charge;
  }
}

void Residency::leave_place(Use& use) noexcept {
  if (use.at_home) {
    --use.block->home_uses;
    use.at_home = false;
    unmap_home(*use.block);
    return set_address(*use.block);
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
  if (worthless && replica->pins == 0) return discard(*replica);
  update_candidate(*replica);
}

// The room is there, but perhaps in pieces: then more leaves.
bool Residency::fill_missing(Request& request, Arena& target, Steps& steps) {
  const auto uses = request.uses();
  std::size_t made = 0;
  for (; made < uses.size(); ++made) {
    Use& use = uses[made];
    if (!is_missing(use)) continue;
    Arena& arena = use.planned != nullptr ? *use.planned : target;
    void* address = arena.allocate(use.block->charge);
    Candidates& others = place(arena).leaving_order;
    while (address == nullptr && !others.empty()) {
      Replica& victim = **others.begin();
      const bool at_once = victim.state == ReplicaState::clean;
      if (evict(victim, steps) && !at_once) break;  // when it has left
      address = arena.allocate(use.block->charge);
    }
    if (address == nullptr) break;
    Replica* const replica = new_replica(*use.block, arena);
    replica->address = address;
    change_state(*replica, ReplicaState::filling);
    pin(use, *replica);
  }
  const bool all = made == uses.size();
  for (Use& use : uses.first(made)) {
    if (use.replica == nullptr || use.replica->state != ReplicaState::filling) continue;
    if (use.replica->transfer.replica != nullptr) continue;  // under way already
    if (all && use.block->written && !use.fresh) {
      start_fetch(*use.replica, false, steps);
      continue;
    }
    Replica& replica = *use.replica;  // nothing to wait for
    replica.landing = use.next_landing;
    --request.landing;
    if (all) {
      replica.blank = use.block->written;
      change_state(replica, ReplicaState::clean);
    } else {
      --replica.pins;
      use.replica = nullptr;
      change_state(replica, ReplicaState::absent);
      drop(replica);
    }
  }
  return all;
}

// All is in place: the task may run.
void Residency::hold(Request& request) {
  request.state = RequestState::held;
  if (track_ != nullptr) record_wait_end(request);
  ++held_;
  queued_.fetch_add(1, std::memory_order_relaxed);
  for (Use& use : request.uses()) {
    set_address(*use.block);
    const Home& home = use.block->home;
    if (use.at_home && is_emulated(home.tier)) request.in_place_bytes += use.block->bytes;
    request.in_place = request.in_place || (use.at_home && home.kind == Home::Kind::file);
  }
  request.in_place = request.in_place || request.in_place_bytes != 0;
  request.may_begin.store(true);  // ADMIT-1
}

bool Residency::is_emulated(int tier) const noexcept {
  return tier >= 0 && tiers_.tiers()[static_cast<std::size_t>(tier)].copy_fraction > 0;
}

// The task has run: what it wrote is what the block holds. Not earlier, for it might have been cancelled; nobody but
// its children could have used the block meanwhile, and they find it where the task has it.
void Residency::publish(Use& use) noexcept {
  if (!writes(use.mode)) return;
  Block& block = *use.block;
  block.written = true;
  if (use.at_home) {
    block.home.current = true;
    return forget_other_replicas(block, nullptr);
  }
  block.home.current = false;
  use.replica->blank = false;
  if (use.replica->state == ReplicaState::clean) change_state(*use.replica, ReplicaState::dirty);
  forget_other_replicas(block, use.replica);
}

void Residency::forget_other_replicas(Block& block, const Replica* keep) noexcept {
  for (Replica *r = block.replicas, *next = nullptr; r != nullptr; r = next) {
    next = r->next;
    if (r == keep) continue;
    const bool idle = r->state == ReplicaState::clean || r->state == ReplicaState::dirty;
    if (idle && r->pins == 0) {
      discard(*r);
    } else {
      r->stale = true;
    }
  }
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

// ---- Those that wait ----

void Residency::advance(Steps& steps) {
  if (!urgent_.empty()) {
    advance_urgent(steps);
    if (!urgent_.empty() && !standstill_) return;
  }
  if (early_wanted_ != 0) [[unlikely]]
    advance_early(steps);
  if (in_order()) return advance_in_order(steps);
  bool progress = waiting_count_ != 0;
  while (progress) {
    progress = false;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {  // one of each in turn
      Lane& lane = lanes_[(next_lane_ + i) % lanes_.size()];
      if (!lane.empty()) progress = advance_first(lane, steps) || progress;
    }
    next_lane_ = (next_lane_ + 1) % lanes_.size();
  }
  if (waiting_count_ != 0) {
    for (Lane& lane : lanes_) advance_others(lane, steps);
  }
}

bool Residency::advance_first(Lane& lane, Steps& steps) {
  Request& request = **lane.begin();
  const Admission admission = admit(request, steps);
  if (admission == Admission::later) return false;
  lane.erase(lane.begin());
  --waiting_count_;
  passed_ = 0;
  if (admission == Admission::held) steps.stage(request);
  return true;
}

void Residency::advance_others(Lane& lane, Steps& steps) {
  if (lane.size() < 2) return;
  int looked_at = 0;
  for (auto at = std::next(lane.begin()); at != lane.end() && looked_at < kMostLookedAtBehind; ++looked_at) {
    Request& request = **at;
    if (!policy::may_pass(newcomer(request)) || admit(request, steps) == Admission::later) {
      ++at;
      continue;
    }
    at = lane.erase(at);
    --waiting_count_;
    ++passed_;
    if (request.state == RequestState::held) steps.stage(request);
  }
}

void Residency::break_standstill(Steps& steps) {
  standstill_ = true;
  advance(steps);
  standstill_ = false;
  if (waiting_count_ == 0 || under_way_ != 0 || has_queued() || !steps.empty()) return;
  Request& request = first_waiting();
  dequeue(request);
  overflow(request, steps);
  try_writing_again();
  advance(steps);
}

// There is one.
Request& Residency::first_waiting() noexcept {
  Request* const first = urgent_.empty() ? first_in_lanes() : *urgent_.begin();
  WEIR_CHECK(first != nullptr, "a standstill in which nobody waits");
  return *first;
}

// Null when none waits there.
Request* Residency::first_in_lanes() noexcept {
  if (waiting_count_ == 0) return nullptr;
  Request* first = nullptr;
  for (const Lane& lane : lanes_)
    if (!lane.empty() && (first == nullptr || ByTurn{}(*lane.begin(), first))) first = *lane.begin();
  return first;
}

bool Residency::never_fits(Request& request) noexcept {
  if (needs_several_nodes(request)) {
    const auto wanted = [&](const Use& use) { return !use.block->home.in_place && !is_kept(request, *use.block); };
    return !plan_over_nodes(request, wanted, [&](const Arena& arena) { return room_for(request, arena); });
  }
  const std::size_t wanted = wanted_bytes(request);
  const auto fits = [&](const Arena& arena) {
    return policy::can_ever_fit({wanted, kept_around(request, &arena), can_give(arena)});
  };
  if (config_.allocation != Allocation::fast) return !fits(target_of(request, fast_bytes(request)));
  const auto& arenas = tiers_.tiers()[top_].arenas;
  return std::none_of(arenas.begin(), arenas.end(), [&](const Arena* arena) { return fits(*arena); });
}

// ---- Those that cannot be helped ----

// Where its blocks are: in slow memory, or, of a task that would fit but for others that wait, in a file's pages.
bool Residency::can_run_in_place(Request& request, bool never) noexcept {
  if (config_.overflow != Overflow::in_place) return false;
  const bool in_file = !never && last_write_failure_;
  for (const Use& use : request.uses()) {
    const Block& block = *use.block;
    bool replica = false;
    for (const Replica* r = block.replicas; r != nullptr; r = r->next) replica = replica || !r->stale;
    const bool in_memory = block.home.in_place || block.home.tier < 0 ||
                           tiers_.tiers()[static_cast<std::size_t>(block.home.tier)].addressable;
    if (!replica && !in_memory && !in_file) return false;
  }
  return true;
}

void Residency::overflow(Request& request, Steps& steps) {
  set_scattered(request, false);
  const bool never = never_fits(request);
  if (can_run_in_place(request, never)) return run_in_place(request, steps);
  fail(request, refusal(request, never), steps);
}

base::Status Residency::refusal(Request& request, bool never) {
  const std::size_t bytes = fast_bytes(request), kept = kept_around(request, nullptr);
  const Arena& target = target_of(request, bytes);
  std::size_t budget = 0;
  for (const Arena* const arena : tiers_.tier_of(target).arenas)
    budget += config_.allocation == Allocation::fast || arena == &target ? can_give(*arena) : 0;
  std::string beside;
  if (never && kept != 0 && request.parent == nullptr) {
    beside = fmt::format(", beside {} that it holds", size_text({kept}));
  } else if (never && kept != 0) {
    beside = fmt::format(
        ", {} of them beside {} that the tasks it was made in hold until it has ended (the nearest is "
        "{:?})",
        size_text({wanted_bytes(request)}), size_text({kept}), request.parent->name);
  }
  std::string message =
      fmt::format("task {:?} needs {} of blocks in tier {} at the same time{}, which can give {}", request.name,
                  size_text({bytes}), tiers_.tier_of(target).name, beside, size_text({budget}));
  if (!last_write_failure_) {
    message += fmt::format(", and what is there cannot leave: {}", last_write_failure_.message);
  } else if (never && wanted_bytes(request) + kept <= budget) {
    message += " on several nodes, but not so that each block is on one of them";
  } else if (!never) {
    message += " only when the tasks that wait for this one have ended";
  }
  message += "; give the tier more with --tiers or WEIR_TIERS, or name less in one footprint";
  if (never && request.parent != nullptr && kept != 0) message += " or in that of a task around it";
  return {base::Code::no_space, std::move(message)};
}

// Each kind once.
void Residency::warn_of_place(const Request& request, bool in_file, std::size_t bytes, Steps& steps) {
  const std::string& tier = tiers_.tiers()[top_].name;
  const bool first = counters_.in_place_runs++ == 0;
  if (in_file && !std::exchange(warned_in_file_, true)) {
    steps.warnings.push_back(fmt::format(
        "task {:?} needs {} of blocks in tier {} at the same time, but all that holds room there waits for others: it "
        "uses them in the file through the page cache, beside the budget; give the tier more with --tiers or "
        "WEIR_TIERS, or name what tasks within a task need in its footprint (further tasks are counted, not reported)",
        request.name, size_text({bytes}), tier));
  } else if (!in_file && first) {
    steps.warnings.push_back(fmt::format(
        "task {:?} needs {} of blocks at the same time, more than fast memory can give: it runs in slow memory; give "
        "tier {} more with --tiers or WEIR_TIERS (further tasks are counted, not reported)",
        request.name, size_text({bytes}), tier));
  }
}

void Residency::run_in_place(Request& request, Steps& steps) {
  request.last_resort = true;
  bool in_file = false;
  for (Use& use : request.uses()) {
    Block& block = *use.block;
    Replica* replica = block.home.in_place || block.home_uses != 0 ? nullptr : block.replicas;
    while (replica != nullptr && replica->stale) replica = replica->next;
    if (replica != nullptr) {
      pin(use, *replica);
      continue;
    }
    if (base::Status status = map_home(block); !status) return fail(request, std::move(status), steps);
    in_file = in_file || block.home.kind == Home::Kind::file;
    pin_home(use);
  }
  warn_of_place(request, in_file, fast_bytes(request), steps);
  note_used(request);
  if (request.landing != 0) {
    request.state = RequestState::staging;
    if (track_ != nullptr) record_staging(request);
    ++staging_;
    return;
  }
  hold(request);
  steps.stage(request);
}

void Residency::fail(Request& request, base::Status status, Steps& steps) {
  for (Use& use : request.uses()) leave_place(use);
  ++counters_.failures;
  request.landing = 0;
  request.state = RequestState::failed;
  if (track_ != nullptr) record_wait_end(request);
  request.failure = std::move(status);
  steps.stage(request);
}

}  // namespace weir::data
