// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/submission.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace weir::checkpoint {
namespace {

Submission::Mark after_one_task(const char* name, std::uint64_t what, unsigned mode) {
  Submission submission;
  submission.note_task(name);
  submission.note_item(what, mode);
  return submission.note_point();
}

TEST(Submission, TheSameTasksAreTheSameNumber) {
  EXPECT_EQ(after_one_task("mix", 3, 1), after_one_task("mix", 3, 1));
  EXPECT_NE(after_one_task("mix", 3, 1), after_one_task("mxi", 3, 1));
  EXPECT_NE(after_one_task("mix", 3, 1), after_one_task("mix", 4, 1));
  EXPECT_NE(after_one_task("mix", 3, 1), after_one_task("mix", 3, 2));
}

TEST(Submission, EachCharacterOfANameCountsAndHowManyThereAre) {
  const std::string name = "a name of 24 characters.";
  for (std::size_t i = 0; i < name.size(); ++i) {
    std::string other = name;
    other[i] = '-';
    EXPECT_NE(after_one_task(name.c_str(), 3, 1), after_one_task(other.c_str(), 3, 1)) << other;
    EXPECT_NE(after_one_task(name.c_str(), 3, 1), after_one_task(name.substr(0, i).c_str(), 3, 1)) << i;
  }
}

TEST(Submission, ABlockAndAModeAreNotTakenForAnotherBlockAndMode) {
  std::set<std::uint64_t> seen;
  constexpr unsigned kModes = 6;
  for (std::uint64_t what = 0; what < 64; ++what)
    for (unsigned mode = 0; mode < kModes; ++mode) seen.insert(after_one_task("", what, mode).hash);
  EXPECT_EQ(seen.size(), 64 * kModes);
}

TEST(Submission, AnItemIsNotTakenForATask) {
  Submission one, other;
  one.note_task("");
  one.note_item(3, 1);
  one.note_item(3, 1);
  other.note_task("");
  other.note_item(3, 1);
  other.note_task("");
  EXPECT_NE(one.note_point().hash, other.note_point().hash);
}

TEST(Submission, ItemsOneByOneAndTogetherAreTheSame) {
  Submission one, together;
  one.note_task("");
  one.note_item(3, 1);
  one.note_item(4, 2);
  together.note_task("");
  {
    Submission::Items items(together);
    items.note(3, 1);
    items.note(4, 2);
  }
  EXPECT_EQ(one.note_point(), together.note_point());
}

TEST(Submission, TheOrderOfTasksCounts) {
  Submission one, other;
  one.note_task("a");
  one.note_task("b");
  other.note_task("b");
  other.note_task("a");
  EXPECT_NE(one.note_point(), other.note_point());
}

TEST(Submission, MarksStayFewAndAreThoseOfAnyRunThatComesAsFar) {
  Submission submission;
  std::vector<Submission::Mark> all;
  constexpr std::uint64_t kPoints = 5 * Submission::kMostMarks + 17;
  for (std::uint64_t point = 1; point <= kPoints; ++point) {
    submission.note_task("step");
    all.push_back(submission.note_point());
    ASSERT_LT(submission.marks().size(), Submission::kMostMarks);
  }
  ASSERT_GT(submission.marks().size(), Submission::kMostMarks / 4);
  for (const Submission::Mark& mark : submission.marks()) EXPECT_EQ(mark, all[mark.point - 1]);
  EXPECT_EQ(submission.now().tasks, kPoints);
}

}  // namespace
}  // namespace weir::checkpoint
