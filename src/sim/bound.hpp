// SPDX-License-Identifier: Apache-2.0

// What has to be moved, whoever moves it: the denominator of `weir bench tiers`, and `weir sim --bound`.
//
// A mover that knows the whole order in advance runs the tasks one at a time, in the order in which they are made. It
// fetches what a task reads and is not in the fast tier; for room it evicts the block whose next use is farthest
// (Belady, 1966), writing it back when its copy in the slow tier is older. What is never used again by the measured
// tasks is evicted first; only what was changed costs a write. Fetches are the fewest possible for blocks of one size;
// fetches and writes together, and blocks of several sizes, make the count a close estimate rather than a proven
// minimum.
// Pure.
#pragma once

#include <cstdint>

#include "sim/access_trace.hpp"
#include "sim/program.hpp"

namespace weir::sim {

struct Movement {
  std::uint64_t fetched = 0;       // bytes, by the measured tasks
  std::uint64_t written_back = 0;  // bytes
};

// `budget` holds at least the blocks of one task. Time: accesses * log(blocks).
Movement least_movement(const AccessTrace& trace, std::uint64_t budget);

// The blocks that a program's tasks use, in the order of spawning. What has no contents yet is not read.
AccessTrace access_trace_of(const Program& program);
// Bytes of the blocks that one task names, of the task with most.
std::uint64_t most_at_once(const AccessTrace& trace);

// Bytes a second, of the slow tier.
struct SlowBandwidth {
  double read = 0, write = 0;
  double mixed = 0;  // both at once, half and half: their sum
};

// The longer of computing with everything resident and moving: reads, writes and both together each take their time at
// least.
double bound_seconds(double resident_seconds, const Movement& movement, const SlowBandwidth& slow);

}  // namespace weir::sim
