// SPDX-License-Identifier: Apache-2.0

// What the data layer records when there is a trace: all of it under the store's lock, on one track.
#include <utility>

#include "base/mutex.hpp"
#include "data/store.hpp"
#include "data/trace_observer.hpp"

namespace weir::data {

namespace {

std::uint8_t tier_number(engine::TierIndex tier) noexcept {
  const auto index = static_cast<int>(tier);
  return index >= 0 && index < trace::kNoTier ? static_cast<std::uint8_t>(index) : trace::kNoTier;
}

}  // namespace

// ---- Of the engine ----

void TraceObserver::waits_for_room(engine::Request& request) noexcept { request.since = trace::Track::now(); }

void TraceObserver::waits_for_transfers(engine::Request& request) noexcept {
  const std::uint64_t now = trace::Track::now();
  record_wait(request, now);
  request.since = now;
}

void TraceObserver::waits_no_more(engine::Request& request) noexcept {
  record_wait(request, trace::Track::now());
  request.since = 0;
}

// Before the request goes on to another state: what it waits for follows from the one that it is in.
void TraceObserver::record_wait(const engine::Request& request, std::uint64_t now) noexcept {
  if (request.since == 0) return;
  const bool staging = request.state() == engine::RequestState::staging;
  track_.data_wait(request.since, now, request.trace_id,
                   staging ? trace::DataWait::staging : trace::DataWait::admission);
}

void TraceObserver::evicted(const engine::Replica& replica) noexcept {
  track_.evict(replica.block->trace_id, replica.block->size, tier_number(hierarchy_.tier_of(replica.place.node)));
}

// ---- Of the store ----

void Store::record_on(trace::Recorder& recorder) {
  recorder_ = &recorder;
  const base::Lock lock(mutex_);
  recorded_.assign(tiers_->tiers().size(), 0);
  track_ = recorder.add_track({"blocks"});
  for (const Tier& tier : tiers_->tiers()) recorder.add_tier(tier.name);
  observer_ = std::make_unique<TraceObserver>(*track_, memory_.hierarchy());
  engine_.set_observer(observer_.get());
}

void Store::record_move(const Transfer& transfer) noexcept {
  const engine::Hierarchy& hierarchy = memory_.hierarchy();
  const engine::Block& block = *transfer.replica->block;
  const std::uint8_t here = tier_number(hierarchy.tier_of(transfer.replica->place.node));
  const std::uint8_t there =
      tier_number(transfer.other != nullptr ? hierarchy.tier_of(transfer.other->place.node) : block.home.tier);
  const bool fetch = transfer.kind == Transfer::Kind::fetch;
  track_->move(transfer.started, block.trace_id, block.size, fetch ? there : here, fetch ? here : there);
}

void Store::record_made(const Block& block) noexcept {
  track_->made(trace::BlockKind::numbered, block.trace_id, block.size,
               block.home.kind == engine::Home::Kind::program ? trace::kNoTier : tier_number(block.home.tier));
}

void Store::record_residency() noexcept {
  for (std::size_t i = 0; i < recorded_.size(); ++i) {
    const auto tier = static_cast<engine::TierIndex>(i);
    const std::uint64_t used = used_in(tier);
    if (std::exchange(recorded_[i], used) != used) track_->resident(tier_number(tier), used);
  }
}

}  // namespace weir::data
