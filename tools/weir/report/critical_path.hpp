// SPDX-License-Identifier: Apache-2.0

// The critical path of a traced run: the longest chain of code that had to run one after the other.
//
// A chain goes from a task to one that depends on it, from a parent's code before a spawn to the child, from children
// to the code behind their parent's wait(), from a task to the code behind a wait for its handle, and through the
// program's own code outside of tasks (of a guest from its first interval to its last), with the time of each as it was
// measured, waits left out. An EDT does not wait for those that it has made. What a task has begun elsewhere, and ends
// later for, is in it from the return of its function on. Of a task that lets another one run before it ends itself, as
// an EDT may, only what comes before that is in the chain (Doing::ready). Pure.
#pragma once

#include <vector>

#include "trace.hpp"

namespace weir::tool::report {

struct PathStep {
  std::uint32_t task = 0;  // 0: a thread's code outside of tasks
  Ns ns = 0;               // of its own code on the path
  bool elsewhere = false;  // what it had begun elsewhere, after its function had returned
};

struct CriticalPath {
  Ns length = 0;
  std::vector<PathStep> steps;  // first to last
};

CriticalPath critical_path(const Trace& trace);

}  // namespace weir::tool::report
