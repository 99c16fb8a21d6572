// SPDX-License-Identifier: Apache-2.0

#include "bench/report/metg.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace weir::bench {
namespace {

using Sweep = std::vector<SweepPoint>;

TEST(Metg, InterpolatesTheLogarithmOfTheGranularityBetweenTheTwoPointsAroundTheThreshold) {
  const Metg found = metg(Sweep{{8000, 0.9}, {4000, 0.75}, {1000, 0.25}});
  EXPECT_EQ(found.bound, Bound::exact);
  EXPECT_NEAR(found.ns, std::sqrt(4000.0 * 1000.0), 1e-6);  // half way in efficiency: the geometric mean
}

TEST(Metg, IsThePointItselfWhenItReachesTheThresholdExactly) {
  EXPECT_NEAR(metg(Sweep{{4000, 0.8}, {2000, 0.5}, {1000, 0.2}}).ns, 2000, 1e-6);
}

TEST(Metg, OfAFixedOverheadPerTaskIsTwiceTheOverheadWithinAFewPercent) {
  constexpr double kOverheadNs = 700;
  Sweep sweep;
  for (double kernel = 65536; kernel > 16; kernel /= 2) {
    sweep.push_back({kernel + kOverheadNs, kernel / (kernel + kOverheadNs)});
  }
  EXPECT_NEAR(metg(sweep).ns, 2 * kOverheadNs, 0.05 * 2 * kOverheadNs);
}

TEST(Metg, IsAnUpperBoundWhenEvenTheShortestKernelReachesTheThreshold) {
  const Metg found = metg(Sweep{{4000, 0.9}, {2000, 0.6}});
  EXPECT_EQ(found.bound, Bound::below);
  EXPECT_DOUBLE_EQ(found.ns, 2000);
}

TEST(Metg, IsALowerBoundWhenNoPointReachesTheThreshold) {
  const Metg found = metg(Sweep{{4000, 0.4}, {2000, 0.2}});
  EXPECT_EQ(found.bound, Bound::above);
  EXPECT_DOUBLE_EQ(found.ns, 4000);
}

TEST(Metg, ForgivesOnePointThatAnotherProgramDisturbed) {
  EXPECT_NEAR(metg(Sweep{{64000, 0.1}, {8000, 0.9}, {4000, 0.75}, {1000, 0.25}}).ns, 2000, 1e-6);
}

TEST(Metg, DoesNotRiseAboveAPointThatReachedTheThresholdWhenSmallerTasksTookLonger) {
  EXPECT_DOUBLE_EQ(metg(Sweep{{20000, 0.8}, {9000, 0.6}, {16000, 0.1}}).ns, 9000);
}

}  // namespace
}  // namespace weir::bench
