// SPDX-License-Identifier: Apache-2.0

// Runs what the plan says, in turns, each run in a process of its own, and makes the rows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/common/outcome.hpp"
#include "bench/report/progress.hpp"
#include "bench/tiers/plan.hpp"
#include "sim/bound.hpp"

namespace weir::bench {

using sim::Movement;
using sim::SlowBandwidth;

struct TiersAmount {
  int rounds = 3;          // in which all contenders take turns
  int repeat = 1;          // runs of each in a round
  double timeout_s = 120;  // of each run
};

// One contender at one setup.
struct TiersRow {
  const Setup* setup = nullptr;
  const Contender* contender = nullptr;
  std::vector<apps::Outcome> runs;
  double resident_seconds = 0, bound_seconds = 0;  // 0: not measured
  Movement least;                                  // by any mover
  std::optional<double> speedup_over_naive;
  std::string error;  // what failed, or how the result is wrong; then the row counts for nothing

  bool has_value() const noexcept { return error.empty() && !runs.empty(); }
  double seconds() const;  // the median, as are the others
  double wait_seconds() const;
  std::uint64_t bytes_moved() const;
  double hit_rate() const;
  std::uint64_t peak_rss_bytes() const;  // the most
  std::uint64_t allowed_bytes() const;   // what it should not exceed
};

struct TiersReport {
  std::vector<TiersRow> rows;  // by setup, then in the order of the contenders
  SlowBandwidth slow;          // the median of all rounds
  std::string failed;          // the first thing that keeps a whole setup from being measured
};

// Runs of the plan, measurements of the slow tier among them, and the seconds that they may take.
int run_count(const TiersPlan& plan, const TiersAmount& amount);
double guessed_seconds(const TiersPlan& plan, const TiersAmount& amount);

// `progress` is told what runs next. Every result is compared with that of a run of plain OpenMP in memory.
TiersReport measure_tiers(const TiersPlan& plan, const TiersAmount& amount, const OnProgress& progress);

}  // namespace weir::bench
