// SPDX-License-Identifier: Apache-2.0

#include "data/store_trace.hpp"

#include <utility>

#include "trace/made_small.hpp"

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

std::uint64_t used_in(const engine::Ledger& ledger, engine::TierIndex tier) noexcept {
  std::uint64_t used = 0;
  for (const engine::NodeId node : ledger.hierarchy().tier(tier).nodes) used += ledger.used(node);
  return used;
}

StoreTrace::StoreTrace(trace::Recorder& recorder, const TierSet& tiers, const engine::Hierarchy& hierarchy)
    : hierarchy_(hierarchy),
      track_(*recorder.add_track({"blocks"})),
      observer_(track_, hierarchy),
      tiers_(tiers),
      held_(tiers.tiers().size()) {
  for (const Tier& tier : tiers.tiers()) recorder.add_tier(tier.name);
}

void StoreTrace::moved(const engine::Transfer& transfer) noexcept {
  const engine::Block& block = *transfer.replica->block;
  const std::uint8_t here = tier_number(hierarchy_.tier_of(transfer.replica->place.node));
  const std::uint8_t there =
      tier_number(transfer.other != nullptr ? hierarchy_.tier_of(transfer.other->place.node) : block.home.tier);
  const bool fetch = transfer.kind == engine::Transfer::Kind::fetch;
  track_.move(transfer.started, block.trace_id, block.size, fetch ? there : here, fetch ? here : there);
}

void StoreTrace::made(const Block& block, const PlacementHint& hint) noexcept {
  const bool adopted = block.home.kind == engine::Home::Kind::program;
  const trace::MadeSmall how(adopted ? trace::kNoTier : tier_number(block.home.tier), hint.pinned,
                             static_cast<std::uint8_t>(hint.tier), hint.near_domain);
  track_.made(trace::BlockKind::numbered, block.trace_id, block.size, how.word());
}

void StoreTrace::hold(const engine::Ledger& ledger) noexcept {
  for (const Tier& tier : tiers_.tiers()) {
    for (Arena* const arena : tier.arenas) {
      const Arena::Growth growth = arena->take_growth();
      if (growth.bytes != 0)
        track_.grow(growth.start, growth.ticks, growth.bytes, tier_number(static_cast<engine::TierIndex>(tier.index)));
    }
  }
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const auto tier = static_cast<engine::TierIndex>(i);
    const std::uint64_t used = used_in(ledger, tier);
    if (std::exchange(held_[i], used) != used) track_.resident(tier_number(tier), used);
  }
}

}  // namespace weir::data
