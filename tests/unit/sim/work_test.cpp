// SPDX-License-Identifier: Apache-2.0

#include "sim/work.hpp"

#include <gtest/gtest.h>

namespace weir::sim {
namespace {

TEST(Work, EndsTwiceAsLateWithHalfOfACore) {
  const Work work{1000, 500};
  EXPECT_EQ(work.end(1), 1500u);
  EXPECT_EQ(work.end(0.5), 2000u);
}

TEST(Work, GoesOnWithWhatItHadLeft) {
  Work work{1000, 500};
  work.go_on(1400, 0.5);
  EXPECT_EQ(work.end(1), 1700u);
  work.go_on(5000, 1);
  EXPECT_EQ(work.end(0.25), 5000u) << "it has nothing left";
}

}  // namespace
}  // namespace weir::sim
