// SPDX-License-Identifier: Apache-2.0

// Stacks: how much of the calling thread's is left, and another one for what is nested deeper than it holds.
//
// What runs tasks inside of tasks asks stack_is_short() at each level, which is one comparison, and goes on with
// run_on_fresh_stack() where it is true: on the same thread, so that locks and thread-local variables are the same. So
// the depth of nesting is limited by memory alone. Any thread.
#pragma once

#include <cstddef>

#include "base/sanitizers.hpp"

namespace weir::platform {

struct StackBounds {
  const char* lowest;
  std::size_t bytes;
};
// The stack that the calling thread is on: its own, or a fresh one. The first call of a thread asks the system.
StackBounds this_stack() noexcept;

namespace detail {
// Below it the running stack is short; null: not known on this thread. Written by the thread itself.
extern thread_local constinit const char* stack_limit [[gnu::tls_model("initial-exec")]];
}  // namespace detail

// To be called on a thread before it asks whether its stack is short.
void know_this_stack() noexcept;

// Below it the stack that the calling thread is on is short; null: not known.
inline const char* stack_limit() noexcept { return detail::stack_limit; }

inline const char* stack_pointer() noexcept {
#if defined(__x86_64__)
  const char* pointer = nullptr;
  asm("mov %%rsp, %0" : "=r"(pointer));
  return pointer;
#elif defined(__aarch64__)
  const char* pointer = nullptr;
  asm("mov %0, sp" : "=r"(pointer));
  return pointer;
#else
  return static_cast<const char*>(__builtin_frame_address(0));
#endif
}

// Less than a mebibyte of it is left, however large it is: a task may use as much on any thread that runs it. A smaller
// stack is always short. (Where there are no fresh stacks, less than a quarter of it, at most a mebibyte.)
// Budget: a load and a comparison.
inline bool stack_is_short() noexcept { return stack_pointer() < detail::stack_limit; }

// Where in the running stack the caller's frame is, about: `local` lies in it, and is at hand. (What AddressSanitizer
// makes of local variables lies elsewhere.)
inline const char* place_in_stack([[maybe_unused]] const void* local) noexcept {
#if WEIR_ASAN
  return stack_pointer();
#else
  return static_cast<const char*>(local);
#endif
}

// Calls function(argument), which must not throw, on a stack of its own. When there is no memory for one the process
// ends with a message. Costs a microsecond; a thread keeps one such stack for the next time.
void run_on_fresh_stack(void (*function)(void*), void* argument) noexcept;

// From now on nothing runs on a fresh stack: where one would be needed the process ends with a message that gives
// `reason`, a literal. For tools that take a stack for other memory.
void forbid_fresh_stacks(const char* reason) noexcept;

}  // namespace weir::platform
