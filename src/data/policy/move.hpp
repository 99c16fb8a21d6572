// SPDX-License-Identifier: Apache-2.0

// Whether it pays to bring a block to a faster memory, or tasks had better use it where it is: the strategy `model`.
// Times are those of a cost model (machine/cost_model.hpp).
#pragma once

#include <cstdint>

namespace weir::data::policy {

// A block, as one task is about to use it.
struct Move {
  double in_place = 0;       // seconds that a use takes longer where the block is than where it would be brought to
  double fetch = 0;          // seconds of copying it there; 0: its contents are not needed
  double write_back = 0;     // seconds of copying it back when it leaves; 0: nobody is known to change it
  std::uint32_t uses = 1;    // by tasks that are known, this one, too, before it would have to leave again
  bool displaces = false;    // what leaves for it is needed again, and will then be used where it is, or come back
  double new_memory = 0;     // seconds of clearing memory for what leaves, which never left before
  bool free_copies = false;  // threads copy that tasks do not need, and they keep up
};

// Seconds. A task in slow memory waits; a copy is the work of a core. What the block gains by all its uses, less its
// way there and back, and less what is lost by what leaves for it.
constexpr double gain(const Move& move) noexcept {
  const double copies = move.free_copies ? 0 : move.fetch + move.write_back;
  const double displaced = move.displaces ? (copies < move.in_place ? copies : move.in_place) : 0;
  return move.uses * move.in_place - copies - displaced;
}

// New memory is paid for once and is of use for as long as the program runs, which nobody knows: it is taken when as
// much was lost for want of it (the rule of renting until what was paid would have bought). `forgone`: lost so far.
constexpr bool pays(const Move& move, double forgone = 0) noexcept {
  return gain(move) > 0 && gain(move) + forgone > move.new_memory;
}

// What tasks have read in all memories, and where it would pay to move a block.
struct Balance {
  double slow_bytes = 0, all_bytes = 0;  // lately
  double share = 0;                      // of the slow memory, when both are read at the same time; 0: they cannot be
};

// Cores that read both memories at the same time have the bandwidth of both: so much stays in the slow one, and costs
// nothing, as the rest takes as long.
constexpr bool leaves_share(const Balance& balance, std::uint64_t bytes) noexcept {
  return balance.slow_bytes + static_cast<double>(bytes) <=
         balance.share * (balance.all_bytes + static_cast<double>(bytes));
}

}  // namespace weir::data::policy
