// SPDX-License-Identifier: Apache-2.0

#include "apps/common/tier_counters.hpp"

#include <algorithm>

namespace weir::apps {

void TierCounters::add_to(Outcome& outcome) const {
  const TierStatistics now = runtime_.tier_statistics();
  outcome.bytes_fetched = now.bytes_fetched - before_.bytes_fetched;
  outcome.bytes_written_back = now.bytes_written_back - before_.bytes_written_back;
  outcome.hits = now.hits - before_.hits;
  outcome.misses = now.misses - before_.misses;
  outcome.in_place = now.in_place_runs - before_.in_place_runs;
  outcome.wait_seconds = now.wait_seconds - before_.wait_seconds;
  outcome.emulated = std::any_of(now.tiers.begin(), now.tiers.end(), [](const auto& tier) { return tier.emulated; });
  if (!now.tiers.empty()) outcome.budget_bytes = now.tiers.front().budget;
}

}  // namespace weir::apps
