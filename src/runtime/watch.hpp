// SPDX-License-Identifier: Apache-2.0

// What a layer above sees of a runtime while tasks run. Any thread.
#pragma once

#include <exception>

#include "weir/runtime.hpp"

namespace weir::sched {
class Scope;
}  // namespace weir::sched

namespace weir::runtime {

// Whether blocks of the runtime may have to wait for room: more were made than the fast tier holds. A task that keeps a
// block while it waits for another process may do so only while this is false.
bool blocks_wait_for_room(const Runtime& runtime) noexcept;

// Whether tasks that one thread has spawned outside of tasks have failed.
class FailureWatch {
 public:
  // Of the calling thread.
  explicit FailureWatch(Runtime& runtime);
  // What wait() of that thread would throw if it returned now; null when none has failed, or it was thrown.
  std::exception_ptr failure() const noexcept;

 private:
  const sched::Scope* scope_;  // the thread's, as long as the runtime lives
};

}  // namespace weir::runtime
