// SPDX-License-Identifier: Apache-2.0

// StoreTrace: what the data layer records when there is a trace: blocks, moves, waits and evictions, what tiers hold,
// all of it on one track. Under the store's mutex.
#pragma once

#include <cstdint>
#include <vector>

#include "data/block.hpp"
#include "data/engine/hierarchy.hpp"
#include "data/engine/ledger.hpp"
#include "data/engine/transfers.hpp"
#include "data/tiers.hpp"
#include "data/trace_observer.hpp"
#include "trace/recorder.hpp"

namespace weir::data {

// Bytes in use in all nodes of the tier.
std::uint64_t used_in(const engine::Ledger& ledger, engine::TierIndex tier) noexcept;

class StoreTrace {
 public:
  // All outlive it.
  StoreTrace(trace::Recorder& recorder, const TierSet& tiers, const engine::Hierarchy& hierarchy);

  // Of an engine.
  TraceObserver& observer() noexcept { return observer_; }
  void made(const Block& block, const PlacementHint& hint) noexcept;
  void gone(const Block& block) noexcept { track_.gone(trace::BlockKind::numbered, block.trace_id); }
  void moved(const engine::Transfer& transfer) noexcept;
  // Those of the tiers whose use has changed since the last time, or that have grown.
  void hold(const engine::Ledger& ledger) noexcept;

 private:
  const engine::Hierarchy& hierarchy_;
  trace::Track& track_;
  TraceObserver observer_;
  const TierSet& tiers_;
  std::vector<std::uint64_t> held_;  // bytes by tier, as last recorded
};

}  // namespace weir::data
