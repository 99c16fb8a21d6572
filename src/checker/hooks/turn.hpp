// SPDX-License-Identifier: Apache-2.0

// The turn, which whoever runs a task or a hook has, and what is open to it.
#pragma once

#include "checker/state.hpp"

namespace weir::checker {

void take_turn(ThreadState& thread);
void give_turn(ThreadState& thread);

// What the kernel and the handlers themselves need of the thread stays open. By who has the turn.
void prepare(ThreadState& thread);
// From now on it can be told to hold them: ThreadState::held.
void hold_system_calls(ThreadState& thread);

}  // namespace weir::checker
