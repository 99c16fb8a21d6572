// SPDX-License-Identifier: Apache-2.0

// The debug check that a child's footprint lies within its parent's. Without NDEBUG only; an empty function with it.
//
// Keeps the footprint of every task that has one, in a table beside the tasks: nothing of it is in a release build.
#pragma once

#include <span>

#include "sched/task.hpp"
#include "weir/footprint.hpp"

namespace weir::runtime {

#ifdef NDEBUG
inline void check_nesting(sched::Task&, sched::Task*, std::span<const Access>) noexcept {}
#else
// The spawning thread, before `child` is submitted. Ends the process with a message that names both tasks and the
// bytes. Does nothing more than remember when there is no parent, or one that declared no footprint.
void check_nesting(sched::Task& child, sched::Task* parent, std::span<const Access> footprint);
#endif

}  // namespace weir::runtime
