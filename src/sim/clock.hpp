// SPDX-License-Identifier: Apache-2.0

// Clock: the time in a simulation, and what happens next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sim/events.hpp"
#include "sim/worker.hpp"

namespace weir::sim {

class Clock {
 public:
  std::uint64_t now() const noexcept { return now_; }  // ns
  void advance(std::uint64_t to) noexcept { now_ = to; }

  // The worker goes on at that time, or looks for work, but not while the data layer holds it; what it was to do before
  // does not come any more.
  void go_on(Worker& worker, std::uint64_t at) {
    events_.add({std::max(at, worker.held_until), 0, worker.index, ++worker.turn, nullptr, -1, nullptr});
  }
  // The task has its blocks at that time.
  void stage(Node& node, std::uint64_t at) { events_.add({at, 0, -1, 0, nullptr, -1, &node}); }
  // What the task has begun elsewhere is completed then.
  void complete(Node& node, std::uint64_t at) { events_.add({at, 0, -1, 0, nullptr, -1, nullptr, false, &node}); }
  // The mover goes on; not when its turn is another one by then.
  void go_on(std::size_t mover, std::uint64_t turn, std::uint64_t at) {
    events_.add({at, 0, -1, turn, nullptr, static_cast<int>(mover), nullptr});
  }
  // The thread that has pages cleared goes on; likewise.
  void go_on_clearing(std::uint64_t turn, std::uint64_t at) {
    events_.add({at, 0, -1, turn, nullptr, -1, nullptr, true});
  }
  // A transfer ends that no thread moves.
  void land(data::engine::Transfer& transfer, std::uint64_t at) { events_.add({at, 0, -1, 0, &transfer, -1, nullptr}); }

  bool has_events() const noexcept { return !events_.empty(); }
  Event take() { return events_.take(); }

 private:
  Events events_;
  std::uint64_t now_ = 0;
};

}  // namespace weir::sim
