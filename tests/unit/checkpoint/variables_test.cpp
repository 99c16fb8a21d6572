// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/variables.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace weir::checkpoint {
namespace {

using ::testing::HasSubstr;

TEST(Variables, AtEachPointTheyAreWhatTheyWereThere) {
  Variables first;
  int x = 0;
  double y = 0;
  ASSERT_TRUE(first.keep("x", &x, sizeof x));
  ASSERT_TRUE(first.keep("y", &y, sizeof y));
  std::vector<std::pair<int, double>> seen;
  for (std::uint64_t point = 1; point <= 20; ++point) {
    x = 0;  // the program sets it, and a task adds
    x += point % 3 == 0 ? 7 : 5;
    if (point % 4 == 0) y = static_cast<double>(point) / 3;
    first.note_values(point);
    seen.emplace_back(x, y);
  }
  Variables second;
  int x2 = 0;
  double y2 = 0;
  ASSERT_TRUE(second.decode(first.encode()));
  ASSERT_TRUE(second.keep("y", &y2, sizeof y2));  // in another order
  ASSERT_TRUE(second.keep("x", &x2, sizeof x2));
  for (std::uint64_t point = 1; point <= 20; ++point) {
    x2 = 0;
    ASSERT_TRUE(second.restore_values(point));
    EXPECT_EQ(std::pair(x2, y2), seen[point - 1]) << "at " << point;
  }
  EXPECT_EQ(second.checksum() == 0, false);
}

TEST(Variables, OnesThatAreMissingOrOfAnotherSizeAreNamed) {
  Variables first;
  int x = 3;
  ASSERT_TRUE(first.keep("x", &x, sizeof x));
  first.note_values(1);
  Variables missing;
  ASSERT_TRUE(missing.decode(first.encode()));
  EXPECT_THAT(missing.restore_values(1).message, HasSubstr("variable \"x\" at wait 1, and this run does not keep it"));
  Variables longer;
  ASSERT_TRUE(longer.decode(first.encode()));
  long wide = 0;
  ASSERT_TRUE(longer.keep("x", &wide, sizeof wide));
  EXPECT_THAT(longer.restore_values(1).message, HasSubstr("4 bytes of variable \"x\", and this run keeps 8"));
}

TEST(Variables, AMemoryIsCoveredWhileItIsKept) {
  Variables variables;
  double values[4] = {};
  const auto number = variables.keep("values", values, sizeof values);
  ASSERT_TRUE(number);
  EXPECT_TRUE(variables.covers(values + 1, 2 * sizeof(double)));
  EXPECT_FALSE(variables.covers(values + 3, 2 * sizeof(double)));
  variables.forget(*number);
  EXPECT_FALSE(variables.covers(values, sizeof(double)));
}

TEST(Variables, OneThatBeginsWhereAnotherDoesEndsAlone) {
  Variables variables;
  double values[4] = {};
  const auto all = variables.keep("all", values, sizeof values),
             first = variables.keep("first", values, sizeof *values);
  ASSERT_TRUE(all && first);
  variables.forget(*first);
  EXPECT_TRUE(variables.covers(values, sizeof values));
  EXPECT_TRUE(variables.keep("first", values + 1, sizeof *values)) << "the name is free";
}

TEST(Variables, ALogThatIsCutIsNone) {
  Variables first;
  int x = 3;
  ASSERT_TRUE(first.keep("x", &x, sizeof x));
  first.note_values(1);
  const std::string whole = first.encode();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_FALSE(Variables().decode(std::string_view(whole).substr(0, bytes))) << bytes;
}

}  // namespace
}  // namespace weir::checkpoint
