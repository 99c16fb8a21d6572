// SPDX-License-Identifier: Apache-2.0

#include "plan_progress.hpp"

#include <gtest/gtest.h>

namespace weir::tool {
namespace {

TEST(PlanProgressText, TellsWhatRunsHowFarItIsAndHowLongItStillTakes) {
  EXPECT_EQ(plan_progress_text(45, 180, 30, "chain, tbb", 100), "46 of 180, about 2 min left: chain, tbb");
  EXPECT_EQ(plan_progress_text(150, 180, 60, "chain, tbb", 100), "151 of 180, about 15 s left: chain, tbb");
}

TEST(PlanProgressText, GuessesNothingBeforeSomethingWasDone) {
  EXPECT_EQ(plan_progress_text(0, 180, 30, "chain, tbb", 100), "1 of 180: chain, tbb");
  EXPECT_EQ(plan_progress_text(3, 180, 0.1, "chain, tbb", 100), "4 of 180: chain, tbb");
}

TEST(PlanProgressText, FitsTheTerminal) {
  for (std::size_t columns = 0; columns < 60; ++columns)
    EXPECT_LE(plan_progress_text(45, 180, 30, "chain, tbb", columns).size(), columns);
}

TEST(Pace, OfPlainLinesIsSlowAndBeginsLate) {
  Pace pace;
  EXPECT_FALSE(pace.due(1));
  EXPECT_TRUE(pace.due(Pace::kSeconds + 1));
  EXPECT_FALSE(pace.due(2 * Pace::kSeconds));
  EXPECT_TRUE(pace.due(2 * Pace::kSeconds + 1));
}

}  // namespace
}  // namespace weir::tool
