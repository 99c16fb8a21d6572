// SPDX-License-Identifier: Apache-2.0

// Cores: how fast threads go on that want more cores than there are.
//
// Workers are bound to a core each; a thread that moves blocks may run on any. It has a core for itself while no worker
// needs that; else it takes half of a worker's, as a scheduler that deals out equal shares gives to two threads. Which
// worker's is not known: all lose the same. A value.
#pragma once

#include <algorithm>

namespace weir::sim {

// Parts of a core, for each thread of a kind.
struct CoreShares {
  double worker = 1, mover = 1;
  friend bool operator==(const CoreShares&, const CoreShares&) = default;
};

// `workers` have something to run, and `movers` copy. `cores`: 0: as many as are wanted.
constexpr CoreShares share_cores(unsigned cores, unsigned workers, unsigned movers) noexcept {
  if (cores == 0 || movers == 0 || workers == 0 || workers + movers <= cores) return {};
  const unsigned taken = std::min(workers, cores);   // by workers
  const unsigned guests = movers - (cores - taken);  // movers that have to go there
  const double on_each = static_cast<double>(guests) / taken;
  const double guest = on_each <= 1 ? 0.5 : 1 / (1 + on_each);
  const double host = on_each <= 1 ? 1 - on_each / 2 : 1 / (1 + on_each);
  return {host, (movers - guests + guests * guest) / movers};
}

}  // namespace weir::sim
