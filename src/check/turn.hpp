// The turn, which whoever runs a task or a hook has, and what is open to it.
#pragma once

#include "check/state.hpp"

namespace weir::check {

void take_turn(ThreadState& thread);
void give_turn(ThreadState& thread);

// All that is watched, but what is strict; nothing.
void open_all(ThreadState& thread);
void close_all(ThreadState& thread);

// What the kernel and the handlers themselves need of the thread stays open. By who has the turn.
void prepare(ThreadState& thread);

}  // namespace weir::check
