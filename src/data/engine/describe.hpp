// SPDX-License-Identifier: Apache-2.0

// What an engine knows of itself, in words. Under the lock of whoever drives it.
#pragma once

#include <string>
#include <vector>

#include "data/engine/engine.hpp"

namespace weir::data::engine {

// A ready task that has not got its blocks.
struct WaitingTask {
  const Requester* who = nullptr;  // as Request::requester
  std::string what;   // "2097152 bytes more in tier hbm, of 4194304 that it needs there, for block 'a' and 3 others"
  bool room = false;  // it waits for room; else for transfers
};
// A task that has room in the fast tier.
struct RoomHolder {
  const Requester* who = nullptr;  // as Request::requester
  std::size_t bytes = 0;
  std::string what;  // "holds 1572864 bytes of tier hbm: block 'a' and 3 others"
};
struct Waiting {
  std::vector<WaitingTask> tasks;   // in the order of spawning
  std::vector<RoomHolder> holders;  // when some wait for room: those who have most of it, by bytes
};

// Each task that waits for its blocks, and who has the room.
Waiting waiting_tasks(const Engine& engine);
// The same as lines: its name, what it waits for, the tier and the missing bytes.
std::vector<std::string> describe_waiting(const Engine& engine);
// All there is to know of a stall: counts, nodes, unfinished tasks and their blocks' replicas.
std::vector<std::string> describe_state(const Engine& engine);

}  // namespace weir::data::engine
