// SPDX-License-Identifier: Apache-2.0

// Which blocks the tasks of a run touch, in the order in which they are made: what a mover could know in advance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::sim {

struct TracedAccess {
  std::uint32_t block = 0;
  bool reads = true;  // what is only written need not be fetched
  bool writes = false;
};

struct AccessTrace {
  std::vector<std::uint64_t> block_bytes;  // by block
  std::vector<TracedAccess> accesses;      // of all tasks, one task after the other
  std::vector<std::size_t> task_ends;      // in `accesses`
  std::size_t first_measured = 0;          // task; those before it make the data

  void end_task() { task_ends.push_back(accesses.size()); }
  void measure_from_here() { first_measured = task_ends.size(); }
};

}  // namespace weir::sim
