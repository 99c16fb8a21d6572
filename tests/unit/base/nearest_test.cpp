// SPDX-License-Identifier: Apache-2.0

#include "base/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weir::base {
namespace {

TEST(Nearest, CountsASwapOfNeighboursAsOneChange) {
  EXPECT_EQ(edit_distance("topo", "tpoo"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Nearest, IsEmptyWhenMoreThanAThirdWouldHaveToChange) {
  const std::vector<std::string> known{"topo", "stream", "run", "bench"};
  EXPECT_EQ(nearest("strem", known), "stream");
  EXPECT_EQ(nearest("TOPO", known), "topo");
  EXPECT_EQ(nearest("bnech", known), "bench");
  EXPECT_EQ(nearest("dance", known), "");
  EXPECT_EQ(nearest("-x", std::vector<std::string>{"-h"}), "");
}

TEST(Nearest, IsTheFirstAmongEquals) {
  EXPECT_EQ(nearest("cat", std::vector<std::string>{"bat", "rat"}), "bat");
  EXPECT_EQ(nearest("steam", std::vector<std::string>{"steal", "stream"}), "steal");
}

TEST(Nearest, SuggestsOnlyWhatIsClose) {
  const std::vector<std::string> known{"stream"};
  EXPECT_EQ(suggestion("strem", known), "; did you mean stream?");
  EXPECT_EQ(suggestion("bench", known), "");
}

}  // namespace
}  // namespace weir::base
