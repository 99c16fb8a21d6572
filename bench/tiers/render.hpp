// SPDX-License-Identifier: Apache-2.0

// The report as text for people, and as a plot in the form of the paper's figures 8 and 9. Pure.
#pragma once

#include <string>

#include "base/drawing.hpp"
#include "bench/tiers/measure.hpp"

namespace weir::bench {

// Sizes, contenders, number of runs and about how long they take; what is left out and why. Several lines.
std::string tiers_plan_text(const TiersPlan& plan, const TiersAmount& amount);

// The bandwidth of the slow tier, a table for each application and ratio, and what failed.
std::string tiers_table(const TiersPlan& plan, const TiersReport& report);

// Speedups over naive placement: a panel for each application, a group of bars for each ratio.
base::Drawing tiers_plot(const TiersPlan& plan, const TiersReport& report);

}  // namespace weir::bench
