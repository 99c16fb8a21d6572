// SPDX-License-Identifier: Apache-2.0

#include "launch/joined.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace weir::launch {
namespace {

Job job_of(std::uint32_t rank, const char* id) {
  Job job;
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

// As a program that a rank has started finds it: the number of another process that lives.
class SaidByAnotherRank {
 public:
  explicit SaidByAnotherRank(const std::string& place) {
    setenv("WEIR_JOINED_RANK", (std::to_string(getppid()) + place).c_str(), 1);
  }
  ~SaidByAnotherRank() { unsetenv("WEIR_JOINED_RANK"); }
};

TEST(Joined, AProgramThatARankHasStartedIsRefusedInItsPlace) {
  Job job = job_of(3, "job-7");
  job.ranks = 4;
  EXPECT_TRUE(check_none_joined(job));
  const SaidByAnotherRank said(":3:job-7");
  EXPECT_EQ(joined_before(job), getppid());
  const base::Status status = check_none_joined(job);
  EXPECT_FALSE(status);
  EXPECT_NE(status.message.find("started by rank 3 of the job"), std::string::npos) << status.message;
  job.ranks = 1;
  EXPECT_TRUE(check_none_joined(job)) << "nobody to wait for";
}

TEST(Joined, ARankSaysSoUntilItHasLeftAsOftenAsItHasJoined) {
  const auto said = [] { return std::getenv("WEIR_JOINED_RANK") != nullptr; };
  const Job job = job_of(1, "job-7");
  auto first = std::make_optional<JoinedRank>(job);
  {
    const JoinedRank second(job);
    first.reset();
    EXPECT_TRUE(said());
    EXPECT_FALSE(joined_before(job)) << "it is this process";
  }
  EXPECT_FALSE(said());
  const JoinedRank bare(Job{});
  EXPECT_FALSE(said());
}

}  // namespace
}  // namespace weir::launch
