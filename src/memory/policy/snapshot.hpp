// SPDX-License-Identifier: Apache-2.0

// What the policy of this folder decides on: values, taken under the lock of the arenas, that hold no pointers.
#pragma once

#include <cstddef>

#include "weir/options.hpp"

namespace weir::memory::policy {

// One memory node's arena, as seen from a domain.
struct ArenaState {
  int tier = 0;                // 0: the fastest
  bool ordinary = false;       // what the kernel gives the cores by default
  bool adjacent = false;       // the domain's cores are among those that the memory is local to
  int rank = 0;                // among all nodes, 0 the best for the domain
  std::size_t free_bytes = 0;  // of its budget
};

}  // namespace weir::memory::policy
