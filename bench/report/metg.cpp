#include "bench/report/metg.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace weir::bench {

namespace {

double interpolated(const SweepPoint& reached, const SweepPoint& missed, double threshold) {
  const double share = (reached.efficiency - threshold) / (reached.efficiency - missed.efficiency);
  return std::exp(std::log(reached.granularity_ns) * (1 - share) + std::log(missed.granularity_ns) * share);
}

}  // namespace

Metg metg(std::span<const SweepPoint> sweep, double threshold) {
  std::vector<SweepPoint> points(sweep.begin(), sweep.end());
  std::sort(points.begin(), points.end(),
            [](const SweepPoint& a, const SweepPoint& b) { return a.granularity_ns < b.granularity_ns; });
  const auto reached = std::find_if(points.begin(), points.end(),
                                    [threshold](const SweepPoint& p) { return p.efficiency >= threshold; });
  if (reached == points.end()) return {points.back().granularity_ns, Bound::above};
  if (reached == points.begin()) return {reached->granularity_ns, Bound::below};
  return {interpolated(*reached, *(reached - 1), threshold), Bound::exact};
}

}  // namespace weir::bench
