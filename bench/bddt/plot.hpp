// SPDX-License-Identifier: Apache-2.0

// The rows as the thesis's figures: a row of three panels for each program. Pure.
#pragma once

#include <string>
#include <vector>

#include "bench/bddt/measure.hpp"

namespace weir::bench {

// A gnuplot script that draws to `file`, whose terminal is "svg" or "png": of each program, in the first size, the time
// over the number of workers (4.3), where the processors' time goes (4.4), and what each worker did with the most
// workers (4.5), the last two of Weir alone.
std::string bddt_plot(const BddtPlan& plan, const std::vector<BddtRow>& rows, const std::string& terminal,
                      const std::string& file);

}  // namespace weir::bench
