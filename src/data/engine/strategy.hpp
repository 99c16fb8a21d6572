// SPDX-License-Identifier: Apache-2.0

// MovingStrategy: in which order waiting tasks are admitted, and what moves before they are. Chosen once, by the option
// `strategy`; lane_strategy.hpp and ahead_strategy.hpp are the ones there are.
#pragma once

#include <cstddef>

#include "data/engine/actions.hpp"
#include "data/engine/request.hpp"
#include "data/snapshot.hpp"

namespace weir::data::engine {

class MovingStrategy {
 public:
  virtual ~MovingStrategy() = default;

  // Tasks are admitted in the order of spawning, and those that are ready at once queue behind others.
  virtual bool in_order() const noexcept = 0;
  // A block whose maker says that it will be needed soon is brought in then.
  virtual bool brings_early() const noexcept = 0;
  // The workers can do with another task whose blocks are in place.
  virtual bool wants_more() const noexcept = 0;
  // How much the room is wanted that the task waits for.
  virtual policy::Demand demand_of(const Request& request) const noexcept = 0;
  // Something has changed: admits what waits where there is room, and brings in what tasks that are not ready will
  // need.
  virtual void advance(Actions& actions) = 0;
};

}  // namespace weir::data::engine
