// SPDX-License-Identifier: Apache-2.0

// What stands behind a Completion: a task that ends later has a child of Weir's own, which becomes ready when the
// Completion is completed. So the end of the task is that of its scope, as with children: docs/protocols/completion.md.
//
// Made by the thread that runs the task; ended once, by any thread.
#pragma once

#include <exception>

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
