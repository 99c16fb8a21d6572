// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/joined.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "shmem/world/world.hpp"

namespace weir::shmem {
namespace {

launch::Job job_of(std::uint32_t rank, const char* id) {
  launch::Job job;
  job.rank = Rank(rank);
  job.id = id;
  return job;
}

TEST(Joined, IsTheSameRankOfTheSameJobInAnotherProcess) {
  EXPECT_EQ(joined_before("12:3:job-7", job_of(3, "job-7"), 20), 12);
  EXPECT_FALSE(joined_before("12:3:job-7", job_of(3, "job-7"), 12)) << "this process";
  EXPECT_FALSE(joined_before("12:3:job-7", job_of(2, "job-7"), 20)) << "another rank";
  EXPECT_FALSE(joined_before("12:3:job-7", job_of(3, "job-77"), 20)) << "another job";
  EXPECT_FALSE(joined_before("12:0:", job_of(0, ""), 20)) << "no job";
}

TEST(Joined, IsNobodyForOtherTexts) {
  for (const char* text : {static_cast<const char*>(nullptr), "", "x", ":3:job-7", "0:3:job-7", "-1:3:job-7"})
    EXPECT_FALSE(joined_before(text, job_of(3, "job-7"), 20)) << (text == nullptr ? "null" : text);
}

TEST(Joined, AnotherCopyOfTheLibraryInTheProcessIsNamed) {
  EXPECT_FALSE(has_other_copy_joined());
  EXPECT_EXIT(fail_not_started(), testing::ExitedWithCode(1), "called before shmem_init");
  note_joined(job_of(0, ""));
  EXPECT_TRUE(has_other_copy_joined());
  note_left();
  EXPECT_FALSE(has_other_copy_joined());
  EXPECT_EXIT((note_joined(job_of(0, "")), fail_not_started()), testing::ExitedWithCode(1),
              "this process has two copies of Weir");
}

}  // namespace
}  // namespace weir::shmem
