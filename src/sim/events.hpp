// SPDX-License-Identifier: Apache-2.0

// Events: what happens next in a simulation, by time, and at one time in the order in which it was put in.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "data/engine/replica.hpp"

namespace weir::sim {

struct Node;

struct Event {
  std::uint64_t at = 0;  // ns
  std::uint64_t order = 0;
  int worker = -1;                           // goes on, or looks for work
  std::uint64_t turn = 0;                    // of the worker, or mover: not its last one when that has been put off
  data::engine::Transfer* landed = nullptr;  // without a mover
  int mover = -1;                            // goes on
  Node* staged = nullptr;
  bool clears = false;  // the thread that has pages cleared goes on
  Node* completed = nullptr;
};

class Events {
 public:
  void add(Event event) {
    event.order = order_++;
    queue_.push(event);
  }
  bool empty() const noexcept { return queue_.empty(); }
  Event take() {
    const Event event = queue_.top();
    queue_.pop();
    return event;
  }

 private:
  struct Later {
    bool operator()(const Event& a, const Event& b) const noexcept {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };
  std::priority_queue<Event, std::vector<Event>, Later> queue_;
  std::uint64_t order_ = 0;
};

}  // namespace weir::sim
