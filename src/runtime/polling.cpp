// SPDX-License-Identifier: Apache-2.0

// The library's side of weir/poll.hpp: which runtime asks, and whom of it a new thing to ask for wakes.
#include "runtime/runtime_state.hpp"
#include "weir/poll.hpp"

namespace weir {

void begin_asking(Poll& poll) { runtime::this_worker().team().polls().add(poll); }

// Which worker it is that alone may ask only that one knows: all look.
void notify_asking(Poll& poll) noexcept {
  sched::Worker* const worker = runtime::find_this_worker();
  if (worker == nullptr) return;
  worker->notify_asking();
  if (poll.only_one_may_ask()) worker->scheduler().for_each_worker([](sched::Worker& each) { each.unpark(); });
}

void end_asking(Poll& poll) noexcept {
  runtime::for_each_live([&poll](runtime::State& state) { state.scheduler->polls().remove(poll); });
}

}  // namespace weir
