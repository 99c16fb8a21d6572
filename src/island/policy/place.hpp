// SPDX-License-Identifier: Apache-2.0

// Which worker process gets the next ready task: the one with the fewest, those with equally few in turn.
#pragma once

#include <cstddef>

#include "island/policy/snapshot.hpp"

namespace weir::island::policy {

inline constexpr int kNobody = -1;

// The worker's index; kNobody: all have as many as they can take.
inline int place(const Snapshot& now) noexcept {
  int best = kNobody;
  std::uint32_t fewest = now.most;
  const std::size_t workers = now.queued.size();
  for (std::size_t i = 0; i < workers; ++i) {
    const std::size_t worker = (now.next + i) % workers;
    if (now.queued[worker] >= fewest) continue;
    fewest = now.queued[worker];
    best = static_cast<int>(worker);
    if (fewest == 0) break;
  }
  return best;
}

}  // namespace weir::island::policy
