// SPDX-License-Identifier: Apache-2.0

// What layers above spawn in addition to tasks of the program: prompt tasks, which run at once on the thread that makes
// them ready and take a moment, and among them held ones, which something that no task does releases, as a message that
// comes.
#pragma once

#include "weir/task.hpp"

namespace weir::runtime {

// Attributes, given to spawn().
inline constexpr detail::Begin kPrompt = detail::Begin::at_once;
inline constexpr detail::Begin kHeld = detail::Begin::released;  // prompt, and not ready before it was released, too

// A task that was spawned as kHeld. It is ready when its predecessors have ended and it was released, which is to be
// done once, by any thread: EDGE-5, docs/protocols/edges.md. Until then it is there.
class HeldTask {
 public:
  explicit HeldTask(const Handle<>& handle) noexcept : task_(detail::HandleAccess::ref(handle).task) {}
  // As one word, and back.
  explicit HeldTask(void* address) noexcept : task_(static_cast<sched::Task*>(address)) {}
  void* address() const noexcept { return task_; }

  // True: it was released, and has run on the calling thread. False: nothing was done, since this thread runs no tasks
  // of that runtime, or more than this is missing.
  bool try_release_here() const noexcept;
  void release() const noexcept;

 private:
  sched::Task* task_;
};

}  // namespace weir::runtime
