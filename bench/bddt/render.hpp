// SPDX-License-Identifier: Apache-2.0

// The rows as text: the thesis's figures 4.3 to 4.5 as a table for each program, and what of the targets is reached.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/bddt/measure.hpp"

namespace weir::bench {

// Programs, sizes, runtimes, and those that are left out. Several lines.
std::string bddt_plan_text(const BddtPlan& plan);

// A table for each size and program, with what the thesis says, and what failed.
std::string bddt_tables(const BddtPlan& plan, const std::vector<BddtRow>& rows);

// What is to be reached, of one program and size with so many workers. A time over another's; empty: one is missing.
struct BddtReached {
  std::optional<double> over_best;       // Weir on threads over the best of libgomp, libomp and StarPU: at most 1
  std::string best;                      // which that is
  std::optional<double> gomp_over_weir;  // at a quarter of the task size: at least 1.5
  std::optional<double> over_threads;    // islands on coherent memory over threads: at most 1.15
  std::optional<double> flush_over_coherent;
};
BddtReached bddt_reached(const std::vector<BddtRow>& rows, const std::string& program, const std::string& size,
                         int workers);

// One line for each program and size, with the most workers that were measured.
std::string bddt_targets(const BddtPlan& plan, const std::vector<BddtRow>& rows);

}  // namespace weir::bench
