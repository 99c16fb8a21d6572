// SPDX-License-Identifier: Apache-2.0

// How far the mover looks past the ready tasks, and what may leave for what it finds there.
#pragma once

#include "data/snapshot.hpp"

namespace weir::data::policy {

// Bytes that are brought in for tasks that were not admitted, and not used yet: enough to keep a disk and a copying
// thread busy. More would displace what could have stayed until then, and make ready tasks wait behind it.
// docs/tuning/data.md#fetching-ahead
constexpr std::size_t early_limit(std::size_t budget) noexcept {
  constexpr std::size_t kMost = std::size_t{64} << 20, kPart = 8;
  return budget / kPart < kMost ? budget / kPart : kMost;
}

constexpr bool look_further(const Ahead& ahead) noexcept {
  return ahead.tasks_looked_at < ahead.depth && ahead.early_bytes < ahead.early_limit;
}

// A task that is not ready wants the place of `victim`, whatever the eviction rule: only of what is needed at least
// twice as far from now. Of what is nearer, by the time that the task is due something better will have become free,
// while `victim` would have to come back soon.
constexpr bool may_displace_for_later(const Candidate& victim, const Later& later) noexcept {
  return victim.next_use > later.wanted_at && victim.next_use - later.wanted_at > later.wanted_at - later.now;
}

}  // namespace weir::data::policy
