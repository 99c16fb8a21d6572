// SPDX-License-Identifier: Apache-2.0

// What stands behind a Completion: a task that ends later has a child of Weir's own, which becomes ready when the
// Completion is completed. So the end of the task is that of its scope, as with children: docs/protocols/completion.md.
//
// Made by the thread that runs the task; ended once, by any thread.
#pragma once

#include <exception>

#include "runtime/runtime_state.hpp"
#include "runtime/spawn_scope.hpp"
#include "weir/completion.hpp"

namespace weir::detail {

struct OpenCompletion {
  runtime::SpawnScope* scope = nullptr;  // of the task; there while the node has not ended
  sched::Task* node = nullptr;
  const char* name = nullptr;  // of the task, for messages; null: it has none
};

struct CompletionAccess {
  static Completion make(OpenCompletion* open) noexcept { return Completion(open); }
};

}  // namespace weir::detail

namespace weir::runtime {

// Of a thread that ends what a task waits for. DONE-2: while it lives the runtime does not go, though the task, and all
// others, may have ended by then.
class Completing {
 public:
  explicit Completing(State& state) noexcept : completing_(state.completing) {
    completing_.fetch_add(1, std::memory_order_relaxed);
  }
  ~Completing() { completing_.fetch_sub(1, std::memory_order_release); }
  Completing(const Completing&) = delete;
  Completing& operator=(const Completing&) = delete;

 private:
  std::atomic<std::uint32_t>& completing_;
};

}  // namespace weir::runtime
