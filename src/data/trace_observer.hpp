// SPDX-License-Identifier: Apache-2.0

// TraceObserver: records the engine's waits and evictions on a track. Under the store's lock.
#pragma once

#include "data/engine/config.hpp"
#include "data/engine/hierarchy.hpp"
#include "trace/track.hpp"

namespace weir::data {

class TraceObserver final : public engine::Observer {
 public:
  // Both outlive it.
  TraceObserver(trace::Track& track, const engine::Hierarchy& hierarchy) noexcept
      : track_(track), hierarchy_(hierarchy) {}

  void waits_for_room(engine::Request& request) noexcept override;
  void waits_for_transfers(engine::Request& request) noexcept override;
  void waits_no_more(engine::Request& request) noexcept override;
  void evicted(const engine::Replica& replica) noexcept override;

 private:
  void record_wait(const engine::Request& request, std::uint64_t now) noexcept;

  trace::Track& track_;
  const engine::Hierarchy& hierarchy_;
};

}  // namespace weir::data
