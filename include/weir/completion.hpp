// SPDX-License-Identifier: Apache-2.0

// A task that ends later: its function has returned, and what it has begun elsewhere (on a device, on another rank, in
// the kernel) has not ended yet.
#pragma once

#include <atomic>
#include <exception>

namespace weir {

namespace detail {
struct OpenCompletion;  // src/runtime/completion.hpp
struct CompletionAccess;
// The name of the running task, or null; it outlives the task. Throws weir::Error where end_later() does, about `what`.
const char* name_of_task_that(const char* what);
}  // namespace detail

// One thing that a task has begun and that ends by itself: the task has not ended before complete() was called.
//
// Once, by any thread, one of the runtime's or not, while the task's function runs or afterwards. A Completion that is
// destroyed without that makes the task fail with a weir::Error, since nothing else would ever end it. It is moved, not
// copied; wherever it is kept, one thread at a time moves or destroys it. Costs about what a small task costs.
class Completion {
 public:
  // Of nothing: complete() throws.
  Completion() noexcept = default;
  Completion(Completion&& other) noexcept : open_(other.open_.exchange(nullptr, std::memory_order_acq_rel)) {}
  Completion& operator=(Completion&& other) noexcept;
  ~Completion();

  // What the calling thread has written before is seen by the tasks that come after the task. Never blocks. Throws
  // weir::Error when it was called, or the Completion moved from, before; of several threads that call it at once, all
  // but one get that.
  void complete();
  // The same, and the task has failed, as if its function had thrown: its scope's wait() throws the exception, which
  // must not be null.
  void fail(std::exception_ptr exception);
  // Whether complete() has still to be called.
  explicit operator bool() const noexcept { return open_.load(std::memory_order_acquire) != nullptr; }

 private:
  friend struct detail::CompletionAccess;
  explicit Completion(detail::OpenCompletion* open) noexcept : open_(open) {}

  std::atomic<detail::OpenCompletion*> open_{nullptr};
};

// The running task ends later: when its function has returned, its children have ended, and complete() was called, for
// each Completion that it has asked for. Until then its footprint is not released: what comes after it waits, its
// blocks stay where they are, and wait() in the task that has spawned it does not return. To the task it counts as a
// child: its own wait() waits for it, too.
//
// In a task, or an EDT; on the thread that runs it. Throws weir::Error elsewhere: outside of tasks, and in the half of
// a fork_join() that another thread has taken.
[[nodiscard]] Completion end_later();

}  // namespace weir
