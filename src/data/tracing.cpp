// SPDX-License-Identifier: Apache-2.0

// What the data layer records when there is a trace: all of it under the store's lock, on one track.
#include "data/store.hpp"

namespace weir::data {

namespace {

std::uint8_t tier_number(int index) noexcept {
  return index >= 0 && index < trace::kNoTier ? static_cast<std::uint8_t>(index) : trace::kNoTier;
}

}  // namespace

// ---- Residency ----

void Residency::record_wait_end(Request& request) noexcept {
  const std::uint64_t now = trace::Track::now();
  if (request.staging_since != 0) {
    track_->data_wait(request.staging_since, now, request.trace_id, trace::DataWait::staging);
  } else if (request.waiting_since != 0) {
    track_->data_wait(request.waiting_since, now, request.trace_id, trace::DataWait::admission);
  }
  request.waiting_since = request.staging_since = 0;
}

void Residency::record_staging(Request& request) noexcept {
  const std::uint64_t now = trace::Track::now();
  if (request.waiting_since != 0) {
    track_->data_wait(request.waiting_since, now, request.trace_id, trace::DataWait::admission);
  }
  request.staging_since = now;
}

void Residency::record_eviction(const Replica& replica) noexcept {
  track_->evict(replica.block->trace_id, replica.block->bytes, tier_number(tiers_.tier_of(*replica.arena).index));
}

// ---- Store ----

void Store::record_on(trace::Recorder& recorder) {
  recorder_ = &recorder;
  recorded_.assign(tiers_->tiers().size(), 0);
  const std::lock_guard lock(mutex_);
  track_ = recorder.add_track({"blocks"});
  for (const Tier& tier : tiers_->tiers()) recorder.add_tier(tier.name);
  residency_.set_track(track_);
}

void Store::record_move(const Transfer& transfer) noexcept {
  const Block& block = *transfer.replica->block;
  const std::uint8_t here = tier_number(tiers_->tier_of(*transfer.replica->arena).index);
  const std::uint8_t there = transfer.source != nullptr ? tier_number(tiers_->tier_of(*transfer.source->arena).index)
                                                        : tier_number(block.home.tier);
  const bool fetch = transfer.kind == Transfer::Kind::fetch;
  track_->move(transfer.started, block.trace_id, block.bytes, fetch ? there : here, fetch ? here : there);
}

void Store::record_made(const Block& block) noexcept {
  track_->made(trace::BlockKind::numbered, block.trace_id, block.bytes,
               block.home.kind == Home::Kind::program ? trace::kNoTier : tier_number(block.home.tier));
}

void Store::record_residency() noexcept {
  for (const Tier& tier : tiers_->tiers()) {
    std::uint64_t used = tier.file != nullptr ? tier.file->used() : 0;
    for (const Arena* const arena : tier.arenas) used += arena->used();
    std::uint64_t& last = recorded_[static_cast<std::size_t>(tier.index)];
    if (used == last) continue;
    last = used;
    track_->resident(tier_number(tier.index), used);
  }
}

}  // namespace weir::data
