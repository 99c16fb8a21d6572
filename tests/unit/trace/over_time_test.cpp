// SPDX-License-Identifier: Apache-2.0

#include "over_time.hpp"

#include <gtest/gtest.h>

#include "made_up.hpp"

namespace weir::tool::report {
namespace {

TEST(OverTime, HasTheShareOfWorkersThatRanTasks) {
  MadeUp m(2, 1000);
  m.run(0, m.spawn(0, 0), 1, 500);
  m.run(1, m.spawn(0, 500), 501, 1000);
  m.run(0, m.spawn(0, 502), 750, 1000);
  const auto courses = over_time(m.trace, 4);
  ASSERT_EQ(courses.size(), 1u);
  EXPECT_EQ(courses[0].most, "2 workers");
  const std::vector<double> expected = {0.5, 0.5, 0.5, 1.0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(courses[0].values[i], expected[i], 0.01) << i;
}

TEST(OverTime, CountsAGuestWhileItIsThere) {
  MadeUp m(1, 1000);
  m.trace.tracks.push_back({"guest 1", 1, 0});
  m.run(0, m.spawn(0, 0), 1, 1000);
  m.run(1, m.spawn(1, 500), 501, 750);
  m.span(1, Doing::wait, 750, 1000);
  const auto courses = over_time(m.trace, 4);
  ASSERT_EQ(courses.size(), 1u);
  EXPECT_EQ(courses[0].most, "1 and guests");
  const std::vector<double> expected = {1, 1, 1, 0.5};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(courses[0].values[i], expected[i], 0.01) << i;
}

TEST(OverTime, HasTheMostThatATierHeldInEachPartOfTime) {
  MadeUp m(1, 1000);
  m.trace.tiers = {{"memory", 100, 0, 0}, {"file", 0, 0, 0}, {"unused", 50, 0, 0}};
  m.trace.residency["memory"] = {{100, 80}, {150, 20}, {600, 100}};
  m.trace.residency["file"] = {{900, 10}};
  const auto courses = over_time(m.trace, 4);
  ASSERT_EQ(courses.size(), 3u);
  EXPECT_EQ(courses[1].name, "in memory");
  EXPECT_EQ(courses[1].values, (std::vector<double>{0.8, 0.2, 1.0, 1.0}));
  EXPECT_EQ(courses[1].most, "100 B");
  EXPECT_EQ(courses[2].values, (std::vector<double>{0, 0, 0, 1.0}));
}

TEST(OverTime, SpreadsTheBytesOfAMoveOverItsTime) {
  MadeUp m(1, 1000);
  m.trace.moves = {{0, 500, 0, 1000, "file", "memory"}, {250, 500, 1, 500, "file", "memory"}};
  const auto courses = over_time(m.trace, 4);
  ASSERT_EQ(courses.size(), 2u);
  EXPECT_EQ(courses[1].name, "file to memory");
  EXPECT_EQ(courses[1].values, (std::vector<double>{0.5, 1.0, 0, 0}));
  EXPECT_EQ(courses[1].most, "4.00 GB/s");
}

TEST(Sparkline, IsOneCharacterForEachValueAndShowsLittleAsSomething) {
  EXPECT_EQ(sparkline({0, 0.02, 0.5, 0.99, 1, 1.5}), " .=###");
}

}  // namespace
}  // namespace weir::tool::report
