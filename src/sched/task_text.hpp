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

}  // namespace weir::sched
