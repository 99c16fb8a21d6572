// SPDX-License-Identifier: Apache-2.0

// The four allocation modes of the OCR-Vx runtime on KNL, over any machine's memory nodes.
#pragma once

#include <span>

#include "memory/policy/snapshot.hpp"

namespace weir::memory::policy {

// Index into the arenas; kAnywhere: the mode asks for no place, the kernel chooses.
struct Placement {
  static constexpr int kAnywhere = -1;
  int arena = kAnywhere;
  bool fell_back = false;  // the mode's own memory is not there, ordinary memory (or any) was taken instead

  friend bool operator==(const Placement&, const Placement&) = default;
};

// The more room, then the nearer.
constexpr bool roomier(const ArenaState& a, const ArenaState& b) noexcept {
  return a.free_bytes != b.free_bytes ? a.free_bytes > b.free_bytes : a.rank < b.rank;
}

constexpr bool nearer(const ArenaState& a, const ArenaState& b) noexcept { return a.rank < b.rank; }

// The first by `before` of those that `wanted` accepts; kAnywhere when there is none.
template <class Wanted, class Before>
constexpr int first_of(std::span<const ArenaState> arenas, Wanted wanted, Before before) noexcept {
  int best = Placement::kAnywhere;
  for (std::size_t i = 0; i < arenas.size(); ++i) {
    if (!wanted(arenas[i])) continue;
    if (best < 0 || before(arenas[i], arenas[static_cast<std::size_t>(best)])) best = static_cast<int>(i);
  }
  return best;
}

// Ordinary memory of the domain: adjacent, else the nearest. Where the tiers have none, the nearest memory of all.
constexpr Placement place_local(std::span<const ArenaState> arenas) noexcept {
  const int own = first_of(
      arenas, [](const ArenaState& a) { return a.ordinary && a.adjacent; }, nearer);
  if (own >= 0) return {own, false};
  const int near = first_of(
      arenas, [](const ArenaState& a) { return a.ordinary; }, nearer);
  if (near >= 0) return {near, false};
  return {first_of(
              arenas, [](const ArenaState&) { return true; }, nearer),
          true};
}

// `arenas` as seen from the domain of the task that the block is for. Whether the block fits is not looked at: making
// room is eviction's task.
//   default     anywhere
//   fast        the fast tier, whichever of its nodes has most of its budget left
//   local       ordinary memory of the domain
//   local-fast  memory of the fast tier adjacent to the domain, by locality; where there is none, as local
constexpr Placement place(Allocation mode, std::span<const ArenaState> arenas) noexcept {
  switch (mode) {
    case Allocation::default_: return {};
    case Allocation::fast:
      return {first_of(
                  arenas, [](const ArenaState& a) { return a.tier == 0; }, roomier),
              false};
    case Allocation::local: return place_local(arenas);
    case Allocation::local_fast: {
      const int own = first_of(
          arenas, [](const ArenaState& a) { return a.tier == 0 && a.adjacent; }, nearer);
      return own >= 0 ? Placement{own, false} : Placement{place_local(arenas).arena, true};
    }
  }
  return {};
}

}  // namespace weir::memory::policy
