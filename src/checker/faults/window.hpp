// SPDX-License-Identifier: Apache-2.0

// Windows: pages are open to a thread beside the one that runs a task, and until it closes them what works for that
// task stands still (standstill.hpp).
//
// A thread that works for a task stores `at_large` and then reads the number of windows; whoever opens one counts it
// and then reads `at_large`: one of them sees the other. The thread that runs the task opens no window for what it
// touches itself: what those that it has started do at that moment, on that page, is not seen.
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

// The thread has left the program's code.
inline void come_back(ThreadState& thread) noexcept { thread.at_large = false; }
// In a loop that waits for another thread: its `round`-th time.
void wait_a_little(int round) noexcept;
// So often, that a thread which has not gone on by then will not.
inline constexpr int kMostRounds = 200 + 10'000;  // the latter of them half a second

}  // namespace weir::checker
