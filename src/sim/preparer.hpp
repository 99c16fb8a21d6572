// SPDX-License-Identifier: Apache-2.0

// Preparer: the thread that has pages cleared by which tiers will soon grow, as data::Preparer: when it needs a core.
//
// For whom tiers then wait is known from the traced run (page_times.hpp). Owned by a Simulator; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "memory/growth.hpp"
#include "sim/blocks.hpp"
#include "sim/clock.hpp"
#include "sim/work.hpp"

namespace weir::sim {

class Preparer {
 public:
  Preparer(Clock& clock, const Blocks& blocks) : clock_(clock), blocks_(blocks) {}

  // After what it was asked for before.
  void prepare(std::size_t node, const memory::DueGrowth& due);
  // It has begun, or its piece is cleared.
  void go_on(const Event& event);
  bool clears() const noexcept { return does_ == Does::clears; }
  // Of a core, from now on.
  void set_share(double share);

 private:
  enum class Does : std::uint8_t { sleeps, wakes, clears };
  struct Order {
    std::size_t node;
    std::uint64_t begin, end;  // offsets
  };

  void clear_next();

  Clock& clock_;
  const Blocks& blocks_;
  std::deque<Order> orders_;
  Does does_ = Does::sleeps;
  std::uint64_t turn_ = 0;  // of its events
  Work work_;               // of a piece
  double share_ = 1;
};

}  // namespace weir::sim
