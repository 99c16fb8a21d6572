// SPDX-License-Identifier: Apache-2.0

// The report as text for people, and as a plot. Pure.
#pragma once

#include <string>

#include "base/drawing.hpp"
#include "bench/shmem/measure.hpp"

namespace weir::bench {

// Libraries and how their programs are started, those that are missing and why; how many processes. Several lines.
std::string shmem_plan_text(const ShmemPlan& plan);

// "put 4 KiB", where a benchmark has several sizes.
std::string title_of(const ShmemRow& row);

// The target of a row with what is reached: ".72 of the best (at most .85)"; "" where there is none,
// or Weir is not measured.
std::string target_text(const ShmemPlan& plan, const ShmemReport& report, const ShmemRow& row);

// A table for each number of ranks, and what went wrong.
std::string shmem_table(const ShmemPlan& plan, const ShmemReport& report);

// Times for each number of ranks, and the bandwidths over the size: of those that were measured.
base::Drawing shmem_plot(const ShmemPlan& plan, const ShmemReport& report);

}  // namespace weir::bench
