// SPDX-License-Identifier: Apache-2.0

#include "sched/worker.hpp"

#include "platform/fresh_stack.hpp"
#include "platform/thread_state.hpp"

namespace weir::sched {

thread_local constinit Worker* Worker::started_as_ = nullptr;

Worker::Worker(Team& team, Scheduler& scheduler, const Identity& identity, bool observed)
    : Runner(*this, team, identity),
      quiet_spawns_(observed ? 1 : kQuietSpawns),
      observed_(observed),
      scheduler_(scheduler) {}

void Worker::be_this_thread() noexcept {
  platform::know_this_stack();
  presence().set_thread(platform::this_thread_number());
}

}  // namespace weir::sched
