// SPDX-License-Identifier: Apache-2.0

#include "sim/copies.hpp"

#include <gtest/gtest.h>

namespace weir::sim {
namespace {

TEST(CopyCost, AThreadThatSleepsUntilItsTurnWakesLaterWhereOthersHaveAllCores) {
  const CopyCost cost{1000, 1'000'000, true};
  EXPECT_EQ(cost.end(1000), 1'000'000 + kLateNs);
  EXPECT_EQ(cost.end(1000, kCrowdedLateNs), 1'000'000 + kCrowdedLateNs);
}

TEST(CopyCost, ForLittleItDoesNotSleep) {
  const CopyCost cost{1000, 1'000'000, true};
  EXPECT_EQ(cost.end(950'000, kCrowdedLateNs), 950'000u);
}

TEST(CopyCost, AFileWakesWhoeverWaitsForIt) {
  const CopyCost cost{0, 1'000'000, false};
  EXPECT_EQ(cost.end(1000, kCrowdedLateNs), 1'000'000u);
}

}  // namespace
}  // namespace weir::sim
