// SPDX-License-Identifier: Apache-2.0

// Condition: what a thread that runs tasks in the meantime waits for. On the waiter's stack; its thread calls all of
// it.
#pragma once

#include <cstdint>

#include "trace/track.hpp"

namespace weir::sched {

class Condition {
 public:
  virtual bool done() noexcept = 0;
  // Makes sure that the worker is unparked when done() becomes true. False: it is true already.
  virtual bool prepare_to_sleep() noexcept = 0;
  // How long the thread may sleep before it looks again, though nobody has woken it; 0: until it is woken.
  virtual std::uint64_t longest_sleep_ns() const noexcept { return 0; }
  // For traces.
  virtual trace::WaitFor what() const noexcept { return trace::WaitFor::other; }
  virtual std::uint64_t whose() const noexcept { return 0; }  // the task of trace::WaitFor
  // What it is about, for reports of what waits: subject_of() a scope, a task, or nothing. Never 0.
  virtual std::uintptr_t subject() const noexcept { return subject_of(what(), nullptr); }

  static std::uintptr_t subject_of(trace::WaitFor what, const void* of) noexcept {
    return reinterpret_cast<std::uintptr_t>(of) | (static_cast<std::uintptr_t>(what) + 1);
  }
  static trace::WaitFor what_of(std::uintptr_t subject) noexcept {
    return static_cast<trace::WaitFor>((subject & kWhatMask) - 1);
  }
  static const void* of(std::uintptr_t subject) noexcept { return reinterpret_cast<void*>(subject & ~kWhatMask); }

 protected:
  ~Condition() = default;

 private:
  static constexpr std::uintptr_t kWhatMask = 7;
};

}  // namespace weir::sched
