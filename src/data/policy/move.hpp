// SPDX-License-Identifier: Apache-2.0

// Whether it pays to bring a block to a faster memory, or tasks had better use it where it is: the strategy `model`.
// Times are those of a cost model (machine/cost_model.hpp).
#pragma once

#include <cstdint>

namespace weir::data::policy {

// A block, as one task is about to use it.
struct Move {
  double in_place = 0;     // seconds that a use takes longer where the block is than where it would be brought to
  double fetch = 0;        // what copying it there costs; 0: its contents are not needed
  double write_back = 0;   // what copying it back costs when it leaves; 0: nobody is known to change it
  std::uint32_t uses = 1;  // by tasks that are known, this one, too, before it would have to leave again
  bool displaces = false;  // what leaves for it is needed again, and will then be used where it is, or come back
  double new_memory = 0;   // seconds that a core clears memory for what leaves, which never left before
};

// A copy between the two memories.
struct Copy {
  double work = 0;              // seconds that it takes of a core
  double busy = 0;              // seconds for which it keeps the slow memory busy, whoever waits for that
  std::uint32_t under_way = 0;  // copies that were asked for before it and have not landed
  std::uint32_t workers = 1;
  bool spare_core = false;  // a thread copies that has a core which no worker needs
};

// With so many copies under way a thread with a core to itself keeps up: they are the two of one move, there and back.
inline constexpr std::uint32_t kCopiesOfAMove = 2;

// Seconds that tasks lose. A core that copies runs no task meanwhile, unless it had none to run. The slow memory's time
// is nobody's while nothing else is to be copied. With a copy under way for each worker all of them wait for what comes
// behind this one, and its whole time is lost: the slow memory does not keep up, and what is lost grows with the queue.
constexpr double cost_of(const Copy& copy) noexcept {
  if (!copy.spare_core) return copy.work + copy.busy * copy.under_way / copy.workers;
  return copy.under_way <= kCopiesOfAMove ? 0 : copy.busy * (copy.under_way - kCopiesOfAMove) / copy.workers;
}

// Seconds. A task in slow memory waits. What the block gains by all its uses, less its way there and back, and less
// what is lost by what leaves for it.
constexpr double gain(const Move& move) noexcept {
  const double copies = move.fetch + move.write_back;
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
