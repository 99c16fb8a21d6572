// SPDX-License-Identifier: Apache-2.0

// Runs a plan of the Parallel Research Kernels, and what follows from its rows. One thread, which blocks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/prk/plan.hpp"
#include "bench/report/progress.hpp"

namespace weir::bench {

struct PrkRow {
  std::string bench, stores, memory;
  int workers = 1;
  PrkContender contender;
  std::string unit;
  std::vector<double> samples;  // one for each round: higher is better
  std::string error;            // what failed; the row has no value then
  double over_best_other = 0;   // of Weir's rows: over the best of all others in the same place; 0: unknown

  bool has_value() const { return error.empty() && !samples.empty(); }
  double median() const;
  // Measured in the same place, by others or by Weir.
  bool beside(const PrkRow& other) const {
    return bench == other.bench && stores == other.stores && memory == other.memory && workers == other.workers;
  }
};

// In the order of the table; serial has one row whatever the numbers of workers. A kernel without non-temporal stores
// has no rows for them.
std::vector<PrkRow> prk_rows(const PrkPlan& plan);

// Measures all rows in rounds, in each of which all take turns. A row that fails is not run again.
std::vector<PrkRow> measure_prk(const PrkPlan& plan, const OnProgress& progress);

// The best row beside `row` that is not Weir's; null when there is none. Ways without a barrier between iterations
// count only for such a row.
const PrkRow* best_other(std::span<const PrkRow> rows, const PrkRow& row);
// Sets over_best_other: the median of the ratios of each round, as what disturbs a round disturbs both.
void compare_prk(std::span<PrkRow> rows);

}  // namespace weir::bench
