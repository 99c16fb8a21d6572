// SPDX-License-Identifier: Apache-2.0

// What a layer above sees of a runtime while tasks run. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "weir/runtime.hpp"

namespace weir::sched {
class Scope;
}  // namespace weir::sched

namespace weir::runtime {

// Whether blocks of the runtime may have to wait for room: more were made than the fast tier holds. A task that keeps a
// block while it waits for another process may do so only while this is false.
bool blocks_wait_for_room(const Runtime& runtime) noexcept;

// Whether the calling thread, one that has made the runtime, is in one of its tasks.
bool is_in_task(const Runtime& runtime) noexcept;

// Those that live.
std::size_t block_count(const Runtime& runtime);

// what() of an exception; of one that has none, of which type it is.
std::string text_of(const std::exception_ptr& exception);

// What a runtime says at a moment of whether it will ever do something by itself.
struct Quiescence {
  // The thread that has made it waits for tasks of it, and none runs, is ready, or waits for room, for a block that is
  // on its way, or until it may spawn more. May be wrong by a moment; twice with the same `events` it is right.
  bool is_quiescent = false;
  std::uint64_t events = 0;     // grows whenever something was done
  std::uint64_t late_ends = 0;  // Completions that nobody has completed yet
};
Quiescence quiescence_of(const Runtime& runtime);

// Whether tasks that one thread has spawned outside of tasks have failed.
class FailureWatch {
 public:
  // Of the calling thread.
  explicit FailureWatch(Runtime& runtime);
  // The text of what wait() of that thread would throw if it returned now; none when no task has failed, or it was
  // thrown.
  std::optional<std::string> failure() const;

 private:
  const sched::Scope* scope_;  // the thread's, as long as the runtime lives
};

}  // namespace weir::runtime
