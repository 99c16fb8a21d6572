// SPDX-License-Identifier: Apache-2.0

// System calls of tasks and of threads that they have started: the kernel heeds what is closed.
//
// For the handlers of SIGSYS and SIGTRAP, under the gate.
#pragma once

#include "checker/state.hpp"

namespace weir::checker {

// The call that was held up is made when the handler returns.
void let_call_pass(ThreadState& thread, platform::StoppedThread& stopped) WEIR_REQUIRES(state->gate);
// SIGTRAP after it.
void call_has_passed(ThreadState& thread, platform::StoppedThread& stopped) WEIR_REQUIRES(state->gate);
// The thread sleeps in its call, and another one wants to go on. Closes what was opened for it; false: it may need
// that.
bool close_for_sleeper(ThreadState& thread) WEIR_REQUIRES(state->gate);

}  // namespace weir::checker
