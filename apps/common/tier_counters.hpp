// SPDX-License-Identifier: Apache-2.0

// What a runtime moved between its tiers since these were taken.
#pragma once

#include "apps/common/outcome.hpp"
#include "weir/runtime.hpp"

namespace weir::apps {

class TierCounters {
 public:
  // The runtime has blocks, and no task is running; the same holds for add_to().
  explicit TierCounters(const Runtime& runtime) : runtime_(runtime), before_(runtime.tier_statistics()) {}

  void add_to(Outcome& outcome) const;

 private:
  const Runtime& runtime_;
  TierStatistics before_;
};

}  // namespace weir::apps
