// SPDX-License-Identifier: Apache-2.0

#include "bench/report/metg.hpp"

#include <algorithm>
#include <cmath>

namespace weir::bench {

namespace {

double interpolated(const SweepPoint& reached, const SweepPoint& missed, double threshold) {
  const double share = (reached.efficiency - threshold) / (reached.efficiency - missed.efficiency);
  return std::exp(std::log(reached.granularity_ns) * (1 - share) + std::log(missed.granularity_ns) * share);
}

}  // namespace

Metg metg(std::span<const SweepPoint> sweep, double threshold) {
  const auto last = std::find_if(sweep.rbegin(), sweep.rend(),
                                 [threshold](const SweepPoint& p) { return p.efficiency >= threshold; });
  if (last == sweep.rend()) return {sweep.front().granularity_ns, Bound::above};
  if (last == sweep.rbegin()) return {last->granularity_ns, Bound::below};
  return {std::min(last->granularity_ns, interpolated(*last, *(last - 1), threshold)), Bound::exact};
}

}  // namespace weir::bench
