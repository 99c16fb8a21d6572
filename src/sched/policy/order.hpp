// SPDX-License-Identifier: Apache-2.0

// Which of the ready tasks of its deque a worker takes. Pure functions: tests/unit/sched/sources_test.cpp.
#pragma once

#include "sched/policy/snapshot.hpp"

namespace weir::sched::policy {

enum class Oldness : std::uint8_t { newest, oldest };

// The newest: its data is in the caches, and what a task has made is done before more is begun. The oldest where others
// wait for results: what became ready first is what they need first, more often than what became ready last
// (docs/decisions/0044-a-rank-runs-its-oldest-tasks-first.md). Not on top of a task that waits: that one waits for the
// newest, and each task that came before them would be one more on the stack.
constexpr Oldness which_to_take(const Taker& taker) noexcept {
  return taker.serves_others && !taker.in_task ? Oldness::oldest : Oldness::newest;
}

}  // namespace weir::sched::policy
