// SPDX-License-Identifier: Apache-2.0

// Calls of the C library's functions on memory and strings: judged as calls, by their arguments.
//
// Their instructions read whole vectors, of which they use the part that was meant, and which instructions these are
// depends on the processor. So all modules' calls go by functions of ours, which note what was called with what; the
// first closed page that the library meets then judges the call, and is open to it until it returns.
//
// install_library_calls() and redirect_new_modules() are for hooks, the rest for handlers of faults, under the gate.
#pragma once

#include "base/result.hpp"
#include "checker/state.hpp"

namespace weir::checker {

// Once, before the rest. Where the C library is not loaded as a module of its own nothing is redirected, and each of
// its instructions is judged by itself.
void install_library_calls();
// When a function was called by another way than those known: by a module that was loaded later.
void redirect_new_modules();

// The thread is in a call that was noted.
bool is_in_library_call(const ThreadState& thread, const platform::StoppedThread& stopped) noexcept;
// It has met the page; when the handler returns the thread goes on in its call.
void judge_library_call(ThreadState& thread, const platform::StoppedThread& stopped, Page& page)
    WEIR_REQUIRES(state->gate);

}  // namespace weir::checker
