// SPDX-License-Identifier: Apache-2.0

// The paper's strategies off, inline, single and multi: tasks are admitted as they become ready, by the queue of the
// worker at which they did, and nothing moves before a task is ready.
#pragma once

#include "data/engine/admission.hpp"
#include "data/engine/core.hpp"
#include "data/engine/strategy.hpp"

namespace weir::data::engine {

class LaneStrategy final : public MovingStrategy {
 public:
  LaneStrategy(Core& core, Admission& admission) : core_(core), admission_(admission) {}

  bool in_order() const noexcept override { return false; }
  // off and inline have no thread that would bring it.
  bool brings_early() const noexcept override {
    return core_.config.strategy == Strategy::single || core_.config.strategy == Strategy::multi;
  }
  bool wants_more() const noexcept override { return true; }
  policy::Demand demand_of(const Request& request) const noexcept override {
    if (core_.ends_stall) return {request.sequence, 0, 1};
    return {request.sequence, core_.load.queued_now(), core_.config.workers};
  }
  void advance(Actions& actions) override;

 private:
  void advance_behind_first(const Admission::Lane& lane, Actions& actions);

  Core& core_;
  Admission& admission_;
  std::size_t next_lane_ = 0;
};

}  // namespace weir::data::engine
