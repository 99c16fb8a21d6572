// SPDX-License-Identifier: Apache-2.0

// What a task is called in messages: its name, and where the program spawned it. Any thread that keeps it from ending.
#pragma once

#include <string>

#include "sched/task.hpp"

namespace weir::sched {

// "task 'a', spawned at f.cpp:3 (main)", or what there is of it. Looks the place up, which takes many milliseconds.
std::string text_of(const Task& task);
// The name alone: "task 'a'", or "a task" where it has none, or is null.
std::string name_text_of(const Task* task);
// A thread is unwound by pthread_exit() or pthread_cancel(), in the task, or null in the half of a fork_join(): ends
// the process with a message that says so, as the thread has others to run.
[[noreturn, gnu::cold]] void refuse_to_leave_thread(const Task* task) noexcept;

}  // namespace weir::sched
