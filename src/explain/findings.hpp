// SPDX-License-Identifier: Apache-2.0

// What follows from a Situation: how many wait for what, what is at the root of it, and a cycle if there is one. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "explain/situation.hpp"

namespace weir::explain {

// Waited for by others, directly or not, and waiting for nothing that is in the Situation itself; or for something that
// nobody will ever do.
struct Root {
  Index thing = 0;
  std::uint32_t waiters = 0;  // things that cannot go on before it
};

struct Findings {
  std::array<std::uint32_t, kCauses> by_cause{};      // things with a wait of that cause
  std::uint32_t waiting = 0, ready = 0, running = 0;  // tasks and EDTs
  std::vector<Root> roots;                            // most waiters first, kMostRoots at most
  std::size_t roots_left_out = 0;                     // others
  std::vector<std::uint32_t> cycle;  // indices of waits: each is for who waits in the next; shortest found
};

inline constexpr std::size_t kMostRoots = 10;

Findings find(const Situation& situation);

}  // namespace weir::explain
