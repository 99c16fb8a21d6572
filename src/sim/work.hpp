// SPDX-License-Identifier: Apache-2.0

// Work: what a thread has left to do that has part of a core, and when it ends; and how late it begins. A value.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace weir::sim {

// From when a thread that moves blocks, or has pages cleared, is woken until it goes on (docs/simulating.md).
inline constexpr std::uint64_t kThreadWakeNs = 50'000;

struct Work {
  std::uint64_t since = 0;  // ns
  double left_ns = 0;       // with a core to itself, at `since`

  std::uint64_t end(double share) const noexcept {
    return since + static_cast<std::uint64_t>(std::llround(left_ns / share));
  }
  // It had `share` of a core until now.
  void go_on(std::uint64_t now, double share) noexcept {
    left_ns = std::max(left_ns - static_cast<double>(now - since) * share, 0.0);
    since = now;
  }
};

}  // namespace weir::sim
