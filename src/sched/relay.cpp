// SPDX-License-Identifier: Apache-2.0

#include "sched/relay.hpp"

namespace weir::sched {

bool Relay::link(TaskRef before, std::uintptr_t target) {
  auto* const relay = new Relay;
  // EDGE-6: acquire, so that the generation is that of the list in which the edge is, or a later one.
  if (!before.task->successors.try_add(&relay->edge_, before.generation, std::memory_order_acq_rel)) {
    delete relay;
    return false;
  }
  const bool is_it = before.task->generation.load(std::memory_order_acquire) == before.generation;  // EDGE-2
  const bool stands = relay->decide(is_it ? target : kStray);
  if (!stands) delete relay;
  return stands && is_it;
}

bool Relay::decide(std::uintptr_t to) noexcept {
  std::uintptr_t seen = kUndecided;
  // EDGE-6: release, for who is told; acquire, for what the task wrote that has ended.
  return to_.compare_exchange_strong(seen, to, std::memory_order_acq_rel, std::memory_order_acquire);
}

std::uintptr_t Relay::follow(std::uintptr_t target) noexcept {
  Relay& relay = of(target);
  const std::uintptr_t to = relay.to_.exchange(kTold, std::memory_order_acq_rel);  // EDGE-6
  if (to == kUndecided) return 0;
  delete &relay;
  return to == kStray ? 0 : to;
}

std::uintptr_t Relay::look(std::uintptr_t target) noexcept {
  const std::uintptr_t to = of(target).to_.load(std::memory_order_acquire);  // EDGE-6
  return to == kStray ? 0 : to;
}

}  // namespace weir::sched
