// SPDX-License-Identifier: Apache-2.0

// The tasks that Weir makes for itself: the end of several tasks, the folding of a reduction, and what a task that ends
// later waits for; and what becomes of one whose spawning failed. Any thread.
#pragma once

#include <cstdint>

#include "sched/task.hpp"

namespace weir::runtime {

// What such a task runs. The closure of run_fold() is a pointer to the ReductionGroup that it then owns.
void run_join(void* closure, sched::Task* task, detail::Invoke what);
void run_fold(void* closure, sched::Task* task, detail::Invoke what);
// The closure of run_completed(): what a trace is to say of the task that ends later. Ticks.
struct CompletionTimes {
  std::uint64_t task = 0;                  // by its id in the trace
  std::uint64_t begun = 0, completed = 0;  // 0: nothing is traced
};
// Ready when a Completion was completed (completion.hpp).
void run_completed(void* closure, sched::Task* task, detail::Invoke what);

// The task, which is about to be submitted, was not spawned after all: it ends in its turn, as those that come after it
// wait for it, and its closure is destroyed instead of run. From here on its function is where its site was.
void refuse(sched::Task& task) noexcept;

// What it is called; null for tasks of the program.
const char* name_of_own(detail::InvokeFunction invoke) noexcept;
// What such a task waits for when no other task comes before it.
const char* own_waits_for(detail::InvokeFunction invoke) noexcept;

}  // namespace weir::runtime
