// SPDX-License-Identifier: Apache-2.0

// Relay: an edge from a task of another worker's heap, which may end and its memory be used again while the edge is
// being added.
//
// The tag in a list of successors tells 2^16 uses of the memory apart. Whoever adds an edge elsewhere than on the
// owner's thread may lose its processor for longer than that, and then adds it to the list of a stranger. A Relay
// outlives that: what it leads to is decided when the edge is in the list and the whole generation was compared; one
// that has come to a stranger leads nowhere. docs/protocols/edges.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/task.hpp"

namespace weir::sched {

class alignas(8) Relay {
 public:
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // Any thread. `target`, as of an edge, is told when the task ends. False: it has ended, and the target is not told.
  // Throws std::bad_alloc.
  static bool link(TaskRef before, std::uintptr_t target);

  // ---- The worker that ends a task, with the target of an edge ----
  static bool is_relay(std::uintptr_t target) noexcept { return (target & kMarks) == kRelay; }
  // Whom it is to tell, as the target of an edge; 0: nobody. Once.
  static std::uintptr_t follow(std::uintptr_t target) noexcept;

  // A thread that keeps the task from ending (gate.hpp): the same, and changes nothing.
  static std::uintptr_t look(std::uintptr_t target) noexcept;

 private:
  static constexpr std::uintptr_t kMarks = 7, kRelay = 5;  // a waiter has the lower bit alone, a gate two
  // Instead of a target, as none is at such an address.
  static constexpr std::uintptr_t kUndecided = 0, kTold = 2, kStray = 4;

  Relay() noexcept { edge_.target = reinterpret_cast<std::uintptr_t>(this) | kRelay; }
  ~Relay() = default;
  static Relay& of(std::uintptr_t target) noexcept { return *reinterpret_cast<Relay*>(target & ~kMarks); }
  // On the thread that has added it: true when `to` stands, and whoever ends the task sees it.
  bool decide(std::uintptr_t to) noexcept;

  Edge edge_{};  // in the task's list until that is told
  // EDGE-6: written by who has added the edge and by who tells it, once each; the second of them deletes the relay.
  std::atomic<std::uintptr_t> to_{kUndecided};
};

}  // namespace weir::sched
