// SPDX-License-Identifier: Apache-2.0

// Cores: how fast threads go on that want more cores than there are.
//
// Workers are bound to a core each; of more than there are cores all have an equal part. A thread that moves blocks may
// run on any. It has a core for itself while no worker needs that; else it takes half of a worker's, as a scheduler
// that deals out equal shares gives to two threads. Which worker's is not known: all lose the same. The thread that has
// pages cleared works for milliseconds and stays on its core: threads that move blocks, which sleep in between, come to
// that. A value.
#pragma once

#include <algorithm>

namespace weir::sim {

// Parts of a core, for each thread of a kind.
struct CoreShares {
  double worker = 1, mover = 1;  // the one that has pages cleared has as much as a mover
  bool all_taken = false;        // one that wakes waits until it gets part of one
  friend bool operator==(const CoreShares&, const CoreShares&) = default;
};

// Threads that want a core. `workers`: have something to run; `movers`: copy; `clears`: somebody has pages cleared.
struct Wanted {
  unsigned workers = 0, movers = 0;
  bool clears = false;
};

// What each of so many threads that have something to run has of a core. `cores`: 0: as many as are wanted.
constexpr double core_share(unsigned cores, double threads) noexcept {
  return cores == 0 || threads <= cores ? 1 : cores / threads;
}

// What they have of cores that are left by workers, else of one that workers have.
constexpr CoreShares share_with_clearing(unsigned cores, const Wanted& wanted) noexcept {
  const unsigned taken = std::min(wanted.workers, cores), guests = wanted.movers + 1;
  const bool all_taken = taken + 1 >= cores;
  if (taken < cores) return {1, std::min(1.0, static_cast<double>(cores - taken) / guests), all_taken};
  const double part = core_share(cores, wanted.workers), each = 1 / (guests + 1 / part);
  return {(1 - guests * each / taken) * part, each, all_taken};
}

// `cores`: 0: as many as are wanted.
constexpr CoreShares share_cores(unsigned cores, const Wanted& wanted) noexcept {
  if (cores == 0) return {};
  if (wanted.clears) return share_with_clearing(cores, wanted);
  const unsigned workers = wanted.workers, movers = wanted.movers;
  const bool all_taken = workers >= cores;
  const double part = core_share(cores, workers);
  if (movers == 0 || workers == 0 || workers + movers <= cores) return {part, 1, all_taken};
  const unsigned taken = std::min(workers, cores);   // by workers
  const unsigned guests = movers - (cores - taken);  // movers that have to go there
  const double on_each = static_cast<double>(guests) / taken;
  const double guest = 1 / (1 / part + std::max(on_each, 1.0));
  return {(1 - on_each * guest) * part, (movers - guests + guests * guest) / movers, all_taken};
}

}  // namespace weir::sim
