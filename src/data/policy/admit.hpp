// Whether a task may pass one that waits for room. Letting all pass would let the waiting one starve; letting none pass
// would leave workers idle, and a child of a running task waiting for room that its parent holds.
#pragma once

#include "data/snapshot.hpp"

namespace weir::data::policy {

inline constexpr std::uint32_t kMostPassesPerWorker = 16;

// In the order of spawning, tasks are admitted until so many per worker are staged or on their way.
inline constexpr std::uint32_t kStagedPerWorker = 2;  // docs/tuning.md#prefetch

constexpr bool may_pass(const Newcomer& newcomer) noexcept {
  if (newcomer.all_pinned) return true;
  return newcomer.all_in_place && newcomer.passed < kMostPassesPerWorker * newcomer.workers;
}

}  // namespace weir::data::policy
