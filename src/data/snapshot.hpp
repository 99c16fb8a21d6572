// SPDX-License-Identifier: Apache-2.0

// What the policies of this folder decide on: values, taken under the lock of the store, that hold no pointers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "weir/options.hpp"

namespace weir::data::policy {

// Tasks are numbered in the order in which they were spawned.
using Sequence = std::uint64_t;
inline constexpr Sequence kNever = ~Sequence{0};

// A replica that nobody uses now and that could leave its arena.
struct Candidate {
  Sequence next_use = kNever;  // of the earliest unfinished task that names the block
  std::uint64_t last_use = 0;  // grows with every task that ends
  std::size_t bytes = 0;
  bool dirty = false;

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

// A ready task that waits for room, and how busy the workers are.
struct Demand {
  Sequence sequence = 0;
  std::uint32_t runnable = 0;  // tasks whose blocks are in place and that have not ended
  std::uint32_t workers = 1;
};

// A task that is not ready, and the first that has not begun.
struct Later {
  Sequence wanted_at = 0;
  Sequence now = 0;  // at most wanted_at
};

// A task that became ready while others wait for room.
struct Newcomer {
  bool all_in_place = false;  // it takes no room, but what it pins cannot leave
  bool all_pinned = false;    // nor does it pin anything that is not pinned already
  bool wanted = true;         // the workers can do with one more
};

// What is on its way for tasks that are not ready.
struct Ahead {
  std::size_t early_bytes = 0;
  std::size_t early_limit = 0;
  std::uint32_t tasks_looked_at = 0;
  std::uint32_t depth = 0;
};

}  // namespace weir::data::policy
