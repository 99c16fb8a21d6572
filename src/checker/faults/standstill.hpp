// SPDX-License-Identifier: Apache-2.0

// Standstill: pages are open to a thread beside the one that runs a task, and so to that one and to those that the task
// has started too: meanwhile these stand still, or what the task does there would not be seen.
//
// A thread that works for a task is at large while it runs the program's code. Whoever opens a window (window.hpp)
// makes it leave that code, by a signal; it goes on when no window is open.
#pragma once

#include "checker/state.hpp"

namespace weir::checker {

// The thread goes on in the program's code; when it works for a task, not before all windows are closed. Without the
// gate.
void go_at_large(ThreadState& thread) noexcept;
base::Status install_stop_handler();

}  // namespace weir::checker
