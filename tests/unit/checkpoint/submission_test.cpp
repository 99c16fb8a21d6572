// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/submission.hpp"

#include <gtest/gtest.h>

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
