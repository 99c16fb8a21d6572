// SPDX-License-Identifier: Apache-2.0

// Which of the ready tasks of its deque a worker takes. Pure functions: tests/unit/sched/sources_test.cpp.
#pragma once

#include "sched/policy/snapshot.hpp"
#include "sched/policy/steal.hpp"

namespace weir::sched::policy {

enum class Oldness : std::uint8_t { newest, oldest };

// The newest: its data is in the caches, and what a task has made is done before more is begun. The oldest where others
// wait for results: what became ready first is what they need first, more often than what became ready last
// (docs/decisions/0044-a-rank-runs-its-oldest-tasks-first.md). Not on top of a task that waits: that one waits for the
// newest, and each task that came before them would be one more on the stack.
//
// The oldest, too, of what it has spawned itself (keeps_order()): in the order in which a program spawns, memory is
// mostly read forwards, and what two tasks share is still in a cache. What those tasks make comes before the rest of
// them, so that a tree of tasks is worked off branch by branch.
constexpr Oldness which_to_take(const Taker& taker) noexcept {
  return (taker.serves_others || taker.keeps_order) && !taker.in_task ? Oldness::oldest : Oldness::newest;
}

// Whether a thread that waits for the tasks that it has spawned, or has spawned too many, runs them in their order. Not
// where they are tiny: of those it is the task itself that has to come from memory, and the newest is in a cache.
constexpr bool keeps_order(const Victim& self, bool in_task) noexcept { return !in_task && !is_tiny(self); }

}  // namespace weir::sched::policy
