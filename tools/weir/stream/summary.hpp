// SPDX-License-Identifier: Apache-2.0

// What a sweep says, in a line for each place that was measured. Pure.
#pragma once

#include <span>
#include <string>

#include "stream/sweep.hpp"

namespace weir::tool {

// Memory counts as saturated by the fewest threads that reach this part of the best.
inline constexpr double kSaturated = 0.95;

// "hbm0: 24 of 36 threads (tile) saturate it, at 412.0 GB/s; non-temporal stores give 1.38 times temporal ones
// (triad)", one line for each memory and each loop, in the order of the rows. Where threads were not swept, or only one
// kind of store was measured, the line says the rest.
std::string summary_of(std::span<const SweepRow> rows);

}  // namespace weir::tool
