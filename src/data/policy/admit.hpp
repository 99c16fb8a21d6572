// SPDX-License-Identifier: Apache-2.0

// Who is admitted, and when. A task may pass one that waits for room: letting all pass would let the waiting one
// starve; letting none pass would leave workers idle.
#pragma once

#include "data/snapshot.hpp"

namespace weir::data::policy {

// In the order of spawning, tasks are admitted until so many per worker are staged or on their way.
inline constexpr std::uint32_t kStagedPerWorker = 2;  // docs/tuning/data.md#admission

// Of the tasks that wait for room, the innermost ones come first, since those around them hold room until they have
// ended; then those spawned first.
struct Turn {
  std::uint32_t depth = 0;  // tasks around it that hold room
  Sequence sequence = 0;
};
constexpr bool comes_before(const Turn& a, const Turn& b) noexcept {
  return a.depth != b.depth ? a.depth > b.depth : a.sequence < b.sequence;
}

// Whether a task can be given its blocks at all: those that tasks around it do not hold already, out of what these and
// what never leaves do not take. While it waits neither of them changes.
struct Need {
  std::size_t wanted = 0;  // bytes
  std::size_t kept = 0;    // by tasks around it
  std::size_t budget = 0;  // of the memory, less what never leaves
};
constexpr bool can_ever_fit(const Need& need) noexcept {
  return need.kept <= need.budget && need.wanted <= need.budget - need.kept;
}

// When a task becomes ready while others wait: it takes no room from them.
constexpr bool may_pass(const Newcomer& newcomer) noexcept {
  return newcomer.all_pinned || (newcomer.all_in_place && newcomer.wanted);
}

// So many tasks are admitted past the first that waits, whatever they need; then it is next, and what becomes free is
// kept for it. So many that `weir bench tiers` shows no cost.
inline constexpr std::uint32_t kMostPassesPerWorker = 64;
constexpr bool is_next(std::uint32_t passed, std::uint32_t workers) noexcept {
  return passed >= kMostPassesPerWorker * workers;
}

}  // namespace weir::data::policy
