// SPDX-License-Identifier: Apache-2.0

// One access of a task to a closed page: judged against its footprint, then made with the page open.
//
// For handlers of faults, under the gate.
#pragma once

#include "checker/state.hpp"

namespace weir::checker {

// Tells what is wrong with what the thread was about to do, in that task or beside it; null: outside of tasks.
void report(ThreadState& thread, const platform::StoppedThread& stopped, const Breach& breach, bool writes,
            const TaskInfo* task) WEIR_REQUIRES(state->gate);
// The same of a block that a thread touches which runs no task; nothing when a task runs that may do so, and whose work
// the thread may be doing.
void report_outside(ThreadState& thread, const platform::StoppedThread& stopped, std::uintptr_t address, bool writes)
    WEIR_REQUIRES(state->gate);
// The fault of a task on the page; when the handler returns the thread goes on, for one instruction or for good.
void judge_access(ThreadState& thread, platform::StoppedThread& stopped, Page& page) WEIR_REQUIRES(state->gate);

// A thread that runs no task touches something: for itself, or for the task that runs.
void note_access_beside(const ThreadState& thread, const platform::StoppedThread& stopped) WEIR_REQUIRES(state->gate);
void note_touched_beside(const ThreadState& thread, const platform::StoppedThread& stopped,
                         const platform::TouchedBytes& touched) WEIR_REQUIRES(state->gate);

// What a call of the task does or has done with memory: of the system, or of a function of the C library's.
void judge_call(ThreadState& thread, const platform::StoppedThread& stopped, std::uintptr_t start, std::size_t bytes,
                bool writes) WEIR_REQUIRES(state->gate);

// The same of a thread that runs no task: for the task that does run, or of a block.
void judge_call_beside(ThreadState& thread, const platform::StoppedThread& stopped, std::uintptr_t start,
                       std::size_t bytes, bool writes) WEIR_REQUIRES(state->gate);
// The task may have the page for itself from here on, for what it has done there; false: not yet.
bool open_for_good(ThreadState& thread, const platform::StoppedThread& stopped, std::uintptr_t address, Page& page,
                   bool writes) WEIR_REQUIRES(state->gate);

// The page is open to one instruction of the thread, which step() lets it run, until take_back_opened().
void let_through(ThreadState& thread, std::uintptr_t address, const Page& page) noexcept;
bool is_let_through(const ThreadState& thread, std::uintptr_t address) noexcept;
void step(ThreadState& thread, platform::StoppedThread& stopped) noexcept;
void take_back_opened(ThreadState& thread) noexcept WEIR_REQUIRES(state->gate);

}  // namespace weir::checker
