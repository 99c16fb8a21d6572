// SPDX-License-Identifier: Apache-2.0

// Prediction: what a simulation found, and what a real run did, in the same terms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/engine/config.hpp"

namespace weir::sim {

// Where the time of a worker went, ns; they add up to the makespan.
struct WorkerTime {
  std::uint64_t running = 0;  // code of tasks and of the program, spawns, and what comes between two tasks
  std::uint64_t moving = 0;   // it moved blocks itself, or used emulated memory in place
  std::uint64_t idle = 0;     // nothing to run; of a guest also before it comes and when it has gone
  std::uint64_t tasks = 0;
};

struct Prediction {
  std::uint64_t makespan_ns = 0;
  std::vector<WorkerTime> workers;
  std::uint64_t data_wait_ns = 0;  // of workers: idle while a ready task waited for its blocks
  std::vector<std::string> tiers;
  std::vector<std::vector<std::uint64_t>> moved;  // bytes [from tier][to tier]; the last is the program's memory
  data::engine::Counters counters;
  std::uint64_t tasks = 0, steals = 0;
  std::vector<std::string> warnings;

  std::uint64_t bytes_moved() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& from : moved)
      for (const std::uint64_t bytes : from) sum += bytes;
    return sum;
  }
};

}  // namespace weir::sim
