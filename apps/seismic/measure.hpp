// SPDX-License-Identifier: Apache-2.0

// Runs variants in turn, A B C A B C, and compares what each of them computed with the serial result.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "apps/seismic/problem.hpp"
#include "apps/seismic/solver.hpp"

namespace weir::apps::seismic {

struct Plan {
  std::vector<const Variant*> variants;
  Index iterations = 1;
  int repetitions = 1;
  std::chrono::duration<double> rest{0};  // before each run
  Settings settings;
};

// Of runs with tiers: medians, but for the peak.
struct TierUse {
  std::uint64_t bytes_moved = 0;
  double hit_rate = 0, wait_seconds = 0;
  std::uint64_t total_bytes = 0, budget_bytes = 0;  // of the grid in bands; of the fast tier
  std::uint64_t peak_rss_bytes = 0;                 // of the process
  bool emulated = false;
};

struct Measurement {
  const Variant* variant = nullptr;
  std::vector<double> seconds;   // of all iterations, one per repetition; without starting threads
  Difference difference;         // from the serial result; none: every bit was the same each time
  std::optional<TierUse> tiers;  // measure_tiers.hpp

  double seconds_per_iteration(Index iterations) const;  // the median
};

// Called before each run of a variant, for a line of progress.
using Progress = std::function<void(const Variant& variant, int repetition)>;

// Every run starts from rest. The first run of serial gives the result to compare with; when serial is not among the
// variants it runs once before them. Leaves the field as the last variant left it. Throws weir::Error when threads
// cannot be had; no_space when there is no memory for the copy.
base::Result<std::vector<Measurement>> measure(Problem& problem, const Plan& plan, const Progress& progress);

}  // namespace weir::apps::seismic
