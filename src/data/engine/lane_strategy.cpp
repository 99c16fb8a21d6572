// SPDX-License-Identifier: Apache-2.0

#include "data/engine/lane_strategy.hpp"

#include <iterator>

namespace weir::data::engine {

namespace {

constexpr int kMostLookedAtBehind = 32;  // waiting tasks behind one that waits for room

}  // namespace

// One of each lane in turn; then those behind the first of a lane that take nothing from it.
void LaneStrategy::advance(Actions& actions) {
  const std::vector<Admission::Lane>& lanes = admission_.lanes();
  bool progress = core_.load.waiting != 0;
  while (progress) {
    progress = false;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      const Admission::Lane& lane = lanes[(next_lane_ + i) % lanes.size()];
      if (!lane.empty()) progress = admission_.admit_waiting(**lane.begin(), actions) || progress;
    }
    next_lane_ = (next_lane_ + 1) % lanes.size();
  }
  if (core_.load.waiting == 0) return;
  for (const Admission::Lane& lane : lanes) advance_behind_first(lane, actions);
}

void LaneStrategy::advance_behind_first(const Admission::Lane& lane, Actions& actions) {
  if (lane.size() < 2) return;
  int looked_at = 0;
  for (auto at = std::next(lane.begin()); at != lane.end() && looked_at < kMostLookedAtBehind; ++looked_at) {
    Request& request = **at++;
    if (admission_.may_pass(request)) admission_.admit_waiting(request, actions);
  }
}

}  // namespace weir::data::engine
