// SPDX-License-Identifier: Apache-2.0

// Which of the replicas that nobody uses leaves first.
#pragma once

#include "data/snapshot.hpp"

namespace weir::data::policy {

// Belady's rule (1966): first what is needed last. Among equals first clean ones, which cost no write, then large ones.
constexpr bool farther(const Candidate& a, const Candidate& b) noexcept {
  if (a.next_use != b.next_use) return a.next_use > b.next_use;
  if (a.dirty != b.dirty) return !a.dirty;
  return a.bytes > b.bytes;
}

// First what was used longest ago.
constexpr bool older(const Candidate& a, const Candidate& b) noexcept {
  if (a.last_use != b.last_use) return a.last_use < b.last_use;
  if (a.dirty != b.dirty) return !a.dirty;
  return a.bytes > b.bytes;
}

// A strict weak order: true when `a` leaves before `b`. Under refcount what is left are blocks that were brought in
// and not used yet, or that are too many to go at once: the oldest first.
constexpr bool leaves_before(Evict rule, const Candidate& a, const Candidate& b) noexcept {
  return rule == Evict::next_use ? farther(a, b) : older(a, b);
}

// A ready task wants the place of `victim`. What a task before it needs stays, as long as the workers have something
// to run; it goes when they would otherwise be idle.
constexpr bool may_displace(Evict rule, const Candidate& victim, const Demand& demand) noexcept {
  if (rule != Evict::next_use) return true;
  return victim.next_use > demand.sequence || demand.runnable < demand.workers;
}

}  // namespace weir::data::policy
