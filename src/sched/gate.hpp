// SPDX-License-Identifier: Apache-2.0

// Gate: an observer hold: keeps a task from ending while a thread that is no worker looks at it and at the tasks
// behind it.
//
// A gate is an edge in the task's list of successors. It costs nothing where there is none: the worker that ends the
// task finds it where it would find a waiter, and waits until the gates are opened, before it tells any successor that
// was known when the gate was closed. So while a task's gate is closed, these are there: the task's memory, note, extra
// and scope, the edges behind the gate, and everything of the tasks that these lead to. docs/protocols/gates.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>

#include "sched/task.hpp"

namespace weir::sched {

// The gates of one look. Any thread that is no worker within the runtime.
class alignas(8) Gates {
 public:
  Gates() = default;
  Gates(const Gates&) = delete;
  Gates& operator=(const Gates&) = delete;

  // Null when that use of the memory has ended. Else the newest of the edges that were there before.
  struct Closed {
    bool closed;
    const Edge* edges;
  };
  Closed close(Task& task, std::uint64_t generation);
  // All of them, for good. The object is not to be used any more: it goes when the last of its tasks has ended.
  void open() noexcept;

  // ---- The worker that ends a task, with the target of an edge ----
  static bool is_gate(std::uintptr_t target) noexcept { return (target & kGate) == kGate; }
  static void pass(std::uintptr_t target) noexcept;
  // What was in the list of a task that never ran, and that no thread waits for: gates, and relays of strangers
  // (relay.hpp).
  static void pass_all(const Edge* edges) noexcept;

 private:
  static constexpr std::uintptr_t kGate = 3;  // a waiter has the lower bit alone
  ~Gates() = default;
  void leave() noexcept;

  std::deque<Edge> edges_;               // the looker's; in the tasks' lists until these end
  std::atomic<bool> open_{false};        // GATE-1: release by the looker, acquire by the worker that passes
  std::atomic<std::uint64_t> users_{1};  // tasks that have not passed, and the looker until it opens
};

}  // namespace weir::sched
