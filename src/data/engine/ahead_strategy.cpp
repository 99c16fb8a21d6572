// SPDX-License-Identifier: Apache-2.0

#include "data/engine/ahead_strategy.hpp"

namespace weir::data::engine {

void AheadStrategy::advance(Actions& actions) {
  core_.ledger.forget_owed();
  if (!admission_.untracked_may_run()) look_ahead(actions);
  admit_beyond(actions);
}

// Goes through the tasks that do not run yet. For those that are not admitted it brings in what they will read, and
// makes what is needed later leave early enough.
void AheadStrategy::look_ahead(Actions& actions) {
  policy::Ahead ahead{core_.replicas.early_bytes(), early_.limit(), 0, core_.config.depth};
  const Load& load = core_.load;
  const Request* next = nullptr;
  for (Request* r = core_.schedule.first(); r != nullptr && policy::look_further(ahead); r = r->after) {
    if (!Schedule::has_yet_to_begin(*r)) continue;
    if (next == nullptr) next = r;
    ++ahead.tasks_looked_at;
    const bool waits = r->waits() && wants_more();
    if (waits && admission_.admit_waiting(*r, actions)) continue;
    if (load.fragmented != 0) break;  // what would be brought in could lie in its way again
    if (!early_.prefetch(*r, ahead, next->sequence, actions)) break;
    if (waits && load.with_room + load.staging == 0) break;  // what it waits for is not for what comes after it
  }
}

// Beyond the tasks that were looked at, when workers have nothing to do.
void AheadStrategy::admit_beyond(Actions& actions) {
  Admission::Lane& lane = admission_.lanes().front();
  const Load& load = core_.load;
  const auto some_idle = [&] { return core_.ends_stall || load.with_room + load.staging < core_.config.workers; };
  for (auto at = lane.begin(); at != lane.end() && some_idle();) {
    Request& request = **at++;
    if (!admission_.admit_waiting(request, actions) && load.under_way != 0) break;
  }
}

}  // namespace weir::data::engine
