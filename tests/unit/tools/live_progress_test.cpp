// SPDX-License-Identifier: Apache-2.0

#include "live_progress.hpp"

#include <gtest/gtest.h>

namespace weir::tool {
namespace {

const explain::Advance kHalf{50, 100, {{"memory", 30, 60}, {"file", 1, 100}}};

TEST(ProgressText, SaysTasksRateAndTiers) {
  EXPECT_EQ(progress_text("weir 1 of 2", kHalf, 1.26e6, 100),
            "weir 1 of 2  50/100 tasks  1.3 M/s  memory 50 %  file 1 %");
}

TEST(ProgressText, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(progress_text("weir", std::nullopt, 5, 100), "weir");
  EXPECT_EQ(progress_text("weir", explain::Advance(), 5, 100), "weir");
  EXPECT_EQ(progress_text("weir", explain::Advance{1, 2, {}}, -1, 100), "weir  1/2 tasks");
}

TEST(ProgressText, LeavesOutWhatDoesNotFit) {
  for (std::size_t columns = 0; columns < 60; ++columns) {
    const std::string text = progress_text("weir 1 of 2", kHalf, 12, columns);
    EXPECT_LE(text.size(), columns);
    EXPECT_TRUE(text.empty() || text.back() != ' ' || columns < 11) << '"' << text << '"';
  }
  EXPECT_EQ(progress_text("weir 1 of 2", kHalf, 12, 27), "weir 1 of 2  50/100 tasks");
}

TEST(Rate, IsThatOfTheLastMoments) {
  Rate rate;
  EXPECT_LT(rate.of({100, 100, {}}, 1), 0) << "one look tells nothing";
  EXPECT_DOUBLE_EQ(rate.of({300, 300, {}}, 2), 200);
  EXPECT_DOUBLE_EQ(rate.of({500, 500, {}}, 3), 200);
  EXPECT_LT(rate.of({5, 5, {}}, 4), 0) << "another run has begun";
}

}  // namespace
}  // namespace weir::tool
