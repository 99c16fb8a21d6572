// What a runtime moved between tiers since these were taken.
#pragma once

#include "apps/common/outcome.hpp"
#include "weir/runtime.hpp"

namespace weir::apps {

class TierCounters {
 public:
  explicit TierCounters(Runtime& runtime) : runtime_(runtime) {}
  void add_to(Outcome&) const {}

 private:
  Runtime& runtime_;
};

}  // namespace weir::apps
