// SPDX-License-Identifier: Apache-2.0

// Standstill: pages are open to a thread beside the one that runs a task, and so to that one and to those that the task
// has started too: meanwhile these stand still, or what the task does there would not be seen.
//
// A thread that works for a task is at large while it runs the program's code. Whoever opens a window makes it leave
// that code, by a signal; it goes on when no window is open. One stores `at_large` and then reads the number of
// windows, the other one counts its window and then reads `at_large`: one of them sees the other. The thread that runs
// the task opens no window for what it touches itself: what those that it has started do at that moment, on that page,
// is not seen.
#pragma once

#include "checker/state.hpp"

namespace weir::checker {

// Before pages are opened to the thread, by its handler and under the gate. When it returns nothing goes on for a task
// but itself, except what could not be stopped, which is counted.
void open_window(ThreadState& thread) noexcept WEIR_REQUIRES(state->gate);
// After they were closed. Under the gate.
void close_window(ThreadState& thread) noexcept;
// Another window has to wait: what works for a task would never go on beside threads that open one after the other.
inline bool is_tasks_turn() noexcept { return state->waits_for_windows; }

// The thread goes on in the program's code; when it works for a task, not before all windows are closed. Without the
// gate.
void go_at_large(ThreadState& thread) noexcept;
// It has come back.
inline void come_back(ThreadState& thread) noexcept { thread.at_large = false; }

base::Status install_stop_handler();

}  // namespace weir::checker
