// How far the mover looks past the ready tasks, and what may leave for what it finds there.
#pragma once

#include "data/snapshot.hpp"

namespace weir::data::policy {

// Enough to keep a disk and a copying thread busy; more would only make a ready task's blocks wait behind them.
inline constexpr std::size_t kMostInFlight = std::size_t{64} << 20;  // docs/tuning.md#prefetch

constexpr bool look_further(const Ahead& ahead) noexcept {
  return ahead.tasks_looked_at < ahead.depth && ahead.bytes_in_flight < kMostInFlight;
}

// A task that is not ready wants the place of `victim`: only of what is needed after it, whatever the eviction rule.
constexpr bool may_displace_for_later(const Candidate& victim, Sequence wanted_at) noexcept {
  return victim.next_use > wanted_at;
}

}  // namespace weir::data::policy
