// SPDX-License-Identifier: Apache-2.0

#include "data/engine/engine.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "data/engine/ahead_strategy.hpp"
#include "data/engine/lane_strategy.hpp"

namespace weir::data::engine {

namespace {

std::size_t lanes_of(const Config& config) noexcept {
  return looks_ahead(config.strategy) ? 1 : std::max<std::size_t>(1, config.workers);
}

std::unique_ptr<MovingStrategy> make_strategy(Core& core, Admission& admission, Early& early) {
  if (looks_ahead(core.config.strategy)) return std::make_unique<AheadStrategy>(core, admission, early);
  return std::make_unique<LaneStrategy>(core, admission);
}

}  // namespace

Engine::Engine(const Hierarchy& hierarchy, std::vector<NodeMemory*> memories, const Config& config)
    : core_(hierarchy, std::move(memories), config),
      nodes_(core_.ledger, core_.usual),
      homes_(core_, nodes_),
      transfers_(core_, homes_),
      room_(core_, transfers_),
      fit_(core_, nodes_, room_),
      worth_(core_),
      pins_(core_),
      staging_(core_, fit_, worth_, room_, pins_, transfers_, homes_),
      early_(core_, fit_, worth_, room_, transfers_),
      admission_(core_, fit_, staging_, homes_, lanes_of(config)),
      strategy_(make_strategy(core_, admission_, early_)) {
  admission_.set_strategy(*strategy_);
}

// ---- Blocks ----

void Engine::remove(Block& block, Actions& actions) {
  WEIR_CHECK(block.first_use == nullptr, "a block is destroyed while an unfinished task names it");
  while (block.replicas != nullptr) {
    WEIR_CHECK(block.replicas->pins == 0, "a block is destroyed while a task uses it");
    core_.replicas.discard(*block.replicas);
  }
  homes_.remove(block);
  advance(actions);
}

bool Engine::flush(Block& block, Actions& actions) {
  for (Replica* r = block.replicas; r != nullptr; r = r->next) {
    if (r->state == ReplicaState::dirty && !r->stale) return transfers_.start_write_back(*r, false, actions);
  }
  return false;
}

void Engine::untracked_ended(Actions& actions) {
  homes_.end_untracked();
  advance(actions);
}

void Engine::tracking_begun(Actions& actions) {
  homes_.end_counted();
  advance(actions);
}

void Engine::hold_ended(Block& block, Actions& actions) {
  block.last_use = ++core_.tick;
  core_.replicas.update_all(block);
  room_.evict_unneeded(block, actions);
  advance(actions);
}

// ---- Requests ----

void Engine::add(Request& request) {
  core_.schedule.add(request);
  for (Use& use : request.uses())
    if (Schedule::enqueue(use)) core_.replicas.update_all(*use.block);
}

void Engine::add(Request& request, Block& block, Mode mode, bool early, Actions& actions) {
  if (request.sequence == 0) core_.schedule.add(request);
  Use* const use = request.add(block, mode);
  if (use == nullptr) return;
  request.target = {};  // chosen for a footprint without this block
  if (Schedule::enqueue(*use)) core_.replicas.update_all(block);
  if (early && strategy_->brings_early()) early_.want(*use, actions);
}

void Engine::release(Request& request, Block& block, Actions& actions) {
  Use* const use = request.find(block);
  if (use == nullptr) return;
  WEIR_CHECK(!request.waits() && request.state() != RequestState::staging,
             "a task that waits for its blocks gives one back");
  early_.forget(*use);
  Schedule::dequeue(*use);
  if (request.state() != RequestState::pending) --block.scheduled;
  block.last_use = ++core_.tick;
  if (request.has_room()) pins_.publish(*use);
  pins_.leave(*use);
  Schedule::remove(request, *use);
  core_.replicas.update_all(block);
  room_.evict_unneeded(block, actions);
  advance(actions);
}

bool Engine::withdraw(Request& request, Actions& actions) {
  if (!request.waits()) return false;
  finish(request, actions);
  return true;
}

bool Engine::ready(Request& request, Actions& actions) {
  for (Use& use : request.uses()) {
    ++use.block->scheduled;
    early_.forget(use);
  }
  const Admitted admitted = admission_.admit_ready(request, actions);
  if (admitted == Admitted::later && request.waits()) advance(actions);
  return admitted == Admitted::held;
}

bool Engine::try_begin(Request& request) noexcept {
  request.in_queue = false;
  if (request.waits() || request.state() == RequestState::staging) return false;
  begin(request);
  return true;
}

void Engine::finish(Request& request, Actions& actions) {
  WEIR_CHECK(request.state() != RequestState::staging, "a task ends while its blocks are being staged");
  const bool was_ready = request.state() != RequestState::pending;
  const bool ran = request.has_room() && !request.cancelled;
  if (request.waits()) admission_.remove(request);
  begin(request);  // held: it was cancelled, and never did
  core_.set_state(request, RequestState::ended);
  core_.schedule.remove(request);
  ++core_.tick;
  for (Use& use : request.uses()) {
    Block& block = *use.block;
    early_.forget(use);
    Schedule::dequeue(use);
    if (was_ready) --block.scheduled;
    block.last_use = core_.tick;
    if (ran) pins_.publish(use);
    pins_.leave(use);
    core_.replicas.update_all(block);
  }
  for (Use& use : request.uses()) room_.evict_unneeded(*use.block, actions);
  advance(actions);
}

// ---- What follows ----

void Engine::advance(Actions& actions) {
  if (admission_.has_urgent()) {
    admission_.advance_urgent(false, actions);
    if (admission_.has_urgent() && !core_.ends_stall) return;
  }
  if (early_.has_wanted()) [[unlikely]]
    early_.bring_wanted(actions);
  strategy_->advance(actions);
}

// When it is stuck, no other task is given what those that run may want.
void Engine::end_stall(bool stuck, Actions& actions) {
  core_.ends_stall = true;
  if (stuck)
    admission_.advance_urgent(stuck, actions);
  else
    advance(actions);
  core_.ends_stall = false;
  const Load& load = core_.load;
  if (load.waiting == 0 || load.under_way != 0 || (has_queued() && !stuck) || !actions.empty()) return;
  Request* const first = admission_.first_waiting();
  WEIR_CHECK(first != nullptr, "a stall in which no task waits");
  if (stuck && !Fit::is_urgent(*first)) return;
  admission_.remove(*first);
  staging_.overflow(*first, actions);
  transfers_.try_writing_again();
}

void Engine::land(Transfer& transfer, const base::Status& status, Actions& actions) {
  const Replica& replica = *transfer.replica;
  const bool fetch = transfer.kind == Transfer::Kind::fetch;
  const bool came_early =
      fetch && replica.landing == nullptr && replica.early && transfer.other == nullptr && status && !replica.stale;
  transfers_.land(transfer, status, actions);
  staging_.wake(*transfer.replica, fetch ? status : base::Status::success(), actions);
  transfers_.settle(transfer);
  if (came_early && core_.load.under_way != 0) return;  // no task waited for it, and there is no more room than before
  advance(actions);
}

}  // namespace weir::data::engine
