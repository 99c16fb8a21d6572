// SPDX-License-Identifier: Apache-2.0

// The strategy ahead: follows the order of spawning, which is the order that programs choose for reuse, and brings in
// what tasks that are not ready will read.
#pragma once

#include "data/engine/admission.hpp"
#include "data/engine/core.hpp"
#include "data/engine/early.hpp"
#include "data/engine/strategy.hpp"

namespace weir::data::engine {

class AheadStrategy final : public MovingStrategy {
 public:
  AheadStrategy(Core& core, Admission& admission, Early& early) : core_(core), admission_(admission), early_(early) {}

  bool in_order() const noexcept override { return true; }
  bool brings_early() const noexcept override { return true; }
  bool wants_more() const noexcept override {
    return core_.load.queued_now() + core_.load.staging < policy::kStagedPerWorker * core_.config.workers;
  }
  // What an earlier task needs stays for as long as anything runs or moves: that brings the earlier task on.
  policy::Demand demand_of(const Request& request) const noexcept override {
    const Load& load = core_.load;
    return {request.sequence, core_.ends_stall ? 0 : load.with_room + load.staging + load.under_way, 1};
  }
  // Those that are ready are admitted, but only as many as keep the workers busy: more would use up room out of turn.
  void advance(Actions& actions) override;

 private:
  void look_ahead(Actions& actions);
  void admit_beyond(Actions& actions);

  Core& core_;
  Admission& admission_;
  Early& early_;
};

}  // namespace weir::data::engine
