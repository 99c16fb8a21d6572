// SPDX-License-Identifier: Apache-2.0

// The rows as the thesis's figures: a row of three panels for each program. Pure.
#pragma once

#include <vector>

#include "base/drawing.hpp"
#include "bench/bddt/measure.hpp"

namespace weir::bench {

// Of each program and size the time over the number of workers (4.3), where the processors' time goes (4.4), and what
// each worker did with the most workers (4.5), the last two of Weir alone, where it was measured.
base::Drawing bddt_plot(const BddtPlan& plan, const std::vector<BddtRow>& rows);

}  // namespace weir::bench
