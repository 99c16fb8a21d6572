// SPDX-License-Identifier: Apache-2.0

// The report as text for people, and as a plot in the form of the paper's figures 8 and 9. Pure.
#pragma once

#include <string>

#include "bench/tiers/measure.hpp"

namespace weir::bench {

// Sizes, contenders, number of runs and about how long they take; what is left out and why. Several lines.
std::string tiers_plan_text(const TiersPlan& plan, const TiersAmount& amount);

// The bandwidth of the slow tier, a table for each application and ratio, and what failed.
std::string tiers_table(const TiersPlan& plan, const TiersReport& report);

// A gnuplot script that draws speedups over naive placement to `file`, whose terminal is "svg" or "png": a panel for
// each application, a group of bars for each ratio.
std::string tiers_plot(const TiersPlan& plan, const TiersReport& report, const std::string& terminal,
                       const std::string& file);

}  // namespace weir::bench
