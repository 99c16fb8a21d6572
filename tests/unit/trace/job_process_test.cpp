// SPDX-License-Identifier: Apache-2.0

#include "trace/job_process.hpp"

#include <gtest/gtest.h>

#include <map>

namespace weir::trace {
namespace {

std::optional<JobProcess> process_with(const std::map<std::string, std::string>& variables) {
  return job_process([&](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

TEST(FilesOfRanks, HaveTheRankBeforeWhatSaysTheirKind) {
  EXPECT_EQ(file_of_rank("t.weir", 2), "t.2.weir");
  EXPECT_EQ(file_of_rank("/tmp/a.b/trace.of.weir", 10), "/tmp/a.b/trace.of.10.weir");
  EXPECT_EQ(file_of_rank("out/trace", 0), "out/trace.0");
}

TEST(FilesOfRanks, StayAsTheyAreWhenTheyHaveTheRank) {
  EXPECT_EQ(file_of_rank("out/t.2.weir", 2), "out/t.2.weir");
  EXPECT_EQ(file_of_rank("out/t.2.weir", 3), "out/t.2.3.weir");
}

TEST(JobProcesses, AreToldApartByTheVariablesOfEachStarter) {
  const auto weir = process_with({{"WEIR_RANK", "1"}, {"WEIR_RANKS", "2"}, {"WEIR_JOB", "a-job"}});
  ASSERT_TRUE(weir);
  EXPECT_EQ(weir->rank, 1u);
  EXPECT_EQ(weir->ranks, 2u);
  EXPECT_EQ(weir->job, "a-job");
  const auto open_mpi =
      process_with({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_NAMESPACE", "prte-7"}});
  ASSERT_TRUE(open_mpi);
  EXPECT_EQ(open_mpi->rank, 3u);
  EXPECT_EQ(open_mpi->job, "prte-7");
  const auto mpich = process_with({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}});
  ASSERT_TRUE(mpich);
  EXPECT_EQ(mpich->rank, 0u);
  EXPECT_FALSE(mpich->job.empty());
}

TEST(JobProcesses, AreNoneOfOneProcessOrOfVariablesThatMeanNothing) {
  EXPECT_FALSE(process_with({}));
  EXPECT_FALSE(process_with({{"WEIR_RANK", "0"}, {"WEIR_RANKS", "1"}, {"WEIR_JOB", "a-job"}}));
  EXPECT_FALSE(process_with({{"PMI_RANK", "2"}, {"PMI_SIZE", "2"}}));
  EXPECT_FALSE(process_with({{"PMI_RANK", "two"}, {"PMI_SIZE", "2"}}));
}

}  // namespace
}  // namespace weir::trace
