// SPDX-License-Identifier: Apache-2.0

#include "sched/gate.hpp"

#include <utility>

#include "sched/relay.hpp"

namespace weir::sched {

Gates::Closed Gates::close(Task& task, std::uint64_t generation) {
  Edge& edge = edges_.emplace_back();
  edge.target = reinterpret_cast<std::uintptr_t>(this) | kGate;
  users_.fetch_add(1, std::memory_order_relaxed);
  if (task.successors.try_add(&edge, generation)) return {true, edge.next};
  users_.fetch_sub(1, std::memory_order_relaxed);  // never the last: the looker is one
  edges_.pop_back();
  return {false, nullptr};
}

void Gates::open() noexcept {
  open_.store(true, std::memory_order_release);  // GATE-1
  open_.notify_all();
  leave();
}

void Gates::pass(std::uintptr_t target) noexcept {
  Gates* const gates = reinterpret_cast<Gates*>(target & ~kGate);
  gates->open_.wait(false, std::memory_order_acquire);  // GATE-1
  gates->leave();
}

void Gates::pass_all(const Edge* edges) noexcept {
  while (edges != nullptr) {
    const std::uintptr_t target = std::exchange(edges, edges->next)->target;
    if (is_gate(target))
      pass(target);
    else if (Relay::is_relay(target))
      static_cast<void>(Relay::follow(target));  // EDGE-6: of a stranger
  }
}

void Gates::leave() noexcept {
  if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

}  // namespace weir::sched
