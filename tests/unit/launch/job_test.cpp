// SPDX-License-Identifier: Apache-2.0

#include "launch/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <string>

#include "launch/control.hpp"
#include "launch/tasks_per_node.hpp"
#include "platform/process.hpp"
#include "runtime/options.hpp"

namespace weir::launch {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Table = std::map<std::string, std::string>;

base::Result<Job> read(const Table& table) {
  return job_from([&](const char* name) -> std::optional<std::string> {
    const auto found = table.find(name);
    return found == table.end() ? std::nullopt : std::optional(found->second);
  });
}

std::string refusal(const Table& table) {
  const auto job = read(table);
  EXPECT_TRUE(job || job.status().code == base::Code::bad_option);
  return job ? "none" : job.status().message;
}

Table with(Table table, const Table& more) {
  for (const auto& [name, value] : more) table[name] = value;
  return table;
}

const Table kWeir = {
    {"WEIR_RANK", "2"}, {"WEIR_RANKS", "4"}, {"WEIR_HOST_RANK", "2"}, {"WEIR_HOST_RANKS", "4"}, {"WEIR_JOB", "77-a"}};
const Table kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "5"},       {"OMPI_COMM_WORLD_SIZE", "6"},
                        {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                        {"PMIX_NAMESPACE", "1580597249"},    {"PMIX_RANK", "5"}};
const Table kHydra = {{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "3"}};
const Table kSlurm = {{"SLURM_PROCID", "4"},
                      {"SLURM_STEP_ID", "0"},
                      {"SLURM_JOB_ID", "91"},
                      {"SLURM_STEP_NUM_TASKS", "5"},
                      {"SLURM_NODEID", "2"},
                      {"SLURM_LOCALID", "0"},
                      {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"}};

TEST(Job, OfAProgramStartedBareIsOneRankOfOne) {
  const auto job = read({});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->starter, Starter::bare);
  EXPECT_EQ(job->rank, Rank{0});
  EXPECT_EQ(job->ranks, 1U);
  EXPECT_TRUE(job->is_on_one_host());
  EXPECT_EQ(job->id, "");
  EXPECT_EQ(job->control, -1);
}

TEST(Job, IsReadFromTheVariablesOfWeirRun) {
  const auto job = read(with(kWeir, {{"WEIR_HOST_CORES", "3"}}));
  ASSERT_TRUE(job) << job.status().message;
  EXPECT_EQ(job->starter, Starter::weir);
  EXPECT_EQ(job->rank, Rank{2});
  EXPECT_EQ(job->ranks, 4U);
  EXPECT_EQ(job->host_rank, 2U);
  EXPECT_EQ(job->host_ranks, 4U);
  EXPECT_EQ(job->host_cores, 3U);
  EXPECT_EQ(job->id, "77-a");
  EXPECT_TRUE(job->is_on_one_host());
}

TEST(Job, HasTheControlSocketOnlyWhileThatIsOne) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  const platform::Descriptor here(ends[0]);
  platform::Descriptor there(ends[1]);
  const Table table = with(kWeir, {{"WEIR_CONTROL", std::to_string(there.number())}});
  EXPECT_EQ(read(table)->control, there.number());
  const int number = there.number();
  there.close();
  EXPECT_EQ(read(table)->control, -1);
  auto pipe = platform::Pipe::make();  // takes the number that is free
  ASSERT_TRUE(pipe);
  EXPECT_EQ(read(with(kWeir, {{"WEIR_CONTROL", std::to_string(number)}}))->control, -1);
}

TEST(Job, IsReadFromTheVariablesOfOpenMpi) {
  const auto job = read(kOpenMpi);
  ASSERT_TRUE(job) << job.status().message;
  EXPECT_EQ(job->starter, Starter::open_mpi);
  EXPECT_EQ(job->rank, Rank{5});
  EXPECT_EQ(job->ranks, 6U);
  EXPECT_EQ(job->host_rank, 1U);
  EXPECT_EQ(job->host_ranks, 2U);
  EXPECT_EQ(job->id, "ompi-1580597249");
  EXPECT_FALSE(job->is_on_one_host());
}

TEST(Job, IsReadFromTheVariablesOfHydra) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const platform::Descriptor here(ends[0]), there(ends[1]);
  const auto job = read(with(kHydra, {{"PMI_FD", std::to_string(there.number())}}));
  ASSERT_TRUE(job) << job.status().message;
  EXPECT_EQ(job->starter, Starter::mpich);
  EXPECT_EQ(job->rank, Rank{1});
  EXPECT_EQ(job->host_ranks, 3U);
  EXPECT_EQ(job->id, "pmi-" + std::to_string(getpid())) << "whoever has made the socket";
}

TEST(Job, OfPlainPmiSaysNothingOfTheHost) {
  const auto job = read({{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}, {"PMI_PORT", "here:1"}});
  ASSERT_TRUE(job) << job.status().message;
  EXPECT_EQ(job->ranks, 3U);
  EXPECT_EQ(job->host_ranks, 0U);
  EXPECT_FALSE(job->is_on_one_host());
  EXPECT_EQ(job->id, "pmi-here:1");
}

TEST(Job, OfPmixAloneLeavesTheNumberOfRanksToMpi) {
  const auto job = read({{"PMIX_RANK", "3"}, {"PMIX_NAMESPACE", "prterun-1"}});
  ASSERT_TRUE(job) << job.status().message;
  EXPECT_EQ(job->rank, Rank{3});
  EXPECT_EQ(job->ranks, 0U);
  EXPECT_FALSE(job->is_on_one_host());
}

TEST(Job, IsReadFromTheVariablesOfSlurm) {
  const auto job = read(kSlurm);
  ASSERT_TRUE(job) << job.status().message;
  EXPECT_EQ(job->starter, Starter::slurm);
  EXPECT_EQ(job->rank, Rank{4});
  EXPECT_EQ(job->ranks, 5U);
  EXPECT_EQ(job->host_ranks, 1U);
  EXPECT_EQ(job->id, "slurm-91.0");
}

TEST(Job, OfABatchScriptWithoutSrunIsOneRank) {
  const auto job = read({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_JOB_ID", "91"}});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->starter, Starter::bare);
}

TEST(Job, IsThatOfTheStarterFurtherIn) {
  EXPECT_EQ(read(with(kWeir, kOpenMpi))->starter, Starter::open_mpi);
  EXPECT_EQ(read(with(kWeir, kHydra))->starter, Starter::mpich);
  EXPECT_EQ(read(with(kSlurm, kHydra))->starter, Starter::mpich) << "mpiexec starts its proxies by srun";
  EXPECT_EQ(read(with(kSlurm, {{"PMI_RANK", "4"}, {"PMI_SIZE", "5"}}))->starter, Starter::slurm) << "srun --mpi=pmi2";
}

TEST(Job, OfWeirRunIsNotChangedByAnMpiInitOfItsOwn) {
  const auto job = read(with(kWeir, {{"PMIX_NAMESPACE", "749600769"}, {"PMIX_RANK", "0"}}));
  ASSERT_TRUE(job);
  EXPECT_EQ(job->starter, Starter::weir);
  EXPECT_EQ(job->ranks, 4u);
}

TEST(Job, NamesVariablesThatContradictEachOther) {
  EXPECT_THAT(refusal(with(kWeir, {{"WEIR_RANK", "4"}})), HasSubstr("WEIR_RANK=4 and WEIR_RANKS=4 contradict"));
  EXPECT_THAT(refusal(with(kWeir, {{"WEIR_HOST_RANK", "9"}})), HasSubstr("WEIR_HOST_RANK=9 and WEIR_HOST_RANKS=4"));
  EXPECT_THAT(refusal(with(kWeir, {{"WEIR_HOST_RANKS", "5"}})), HasSubstr("WEIR_HOST_RANKS=5 and WEIR_RANKS=4"));
  EXPECT_THAT(refusal(with(kWeir, {{"WEIR_RANK", "two"}})),
              AllOf(HasSubstr("WEIR_RANK=two"), HasSubstr("whole number")));
  EXPECT_THAT(refusal(with(kWeir, {{"WEIR_RANKS", "-1"}})), HasSubstr("WEIR_RANKS=-1"));
  EXPECT_THAT(refusal(with(kWeir, {{"WEIR_RANKS", ""}})), HasSubstr("WEIR_RANKS="));
  EXPECT_THAT(refusal(with(kWeir, {{"WEIR_RANKS", "99999999999"}})), HasSubstr("WEIR_RANKS=99999999999"));
  EXPECT_THAT(refusal(with(kWeir, {{"WEIR_JOB", ""}})), HasSubstr("WEIR_JOB is not"));
  EXPECT_THAT(refusal({{"WEIR_RANK", "0"}}), HasSubstr("WEIR_RANKS is not set"));
  EXPECT_THAT(refusal({{"WEIR_RANKS", "2"}}), HasSubstr("WEIR_RANK is not set"));
  EXPECT_THAT(refusal(with(kOpenMpi, {{"OMPI_COMM_WORLD_SIZE", "5"}})), HasSubstr("OMPI_COMM_WORLD_RANK=5"));
  EXPECT_THAT(refusal(with(kHydra, {{"PMI_SIZE", "1"}})), HasSubstr("PMI_RANK=1 and PMI_SIZE=1"));
  EXPECT_THAT(refusal(with(kSlurm, {{"SLURM_NODEID", "3"}})), HasSubstr("SLURM_NODEID=3"));
  EXPECT_THAT(refusal(with(kSlurm, {{"SLURM_STEP_TASKS_PER_NODE", "x"}})), HasSubstr("SLURM_STEP_TASKS_PER_NODE=x"));
}

TEST(Job, HasVariablesThatNoOptionIsTakenFor) {
  for (const char* name : {"WEIR_RANK", "WEIR_RANKS", "WEIR_HOST_RANK", "WEIR_HOST_RANKS", "WEIR_HOST_CORES",
                           "WEIR_JOB", "WEIR_CONTROL", "WEIR_MPIRUN"}) {
    const std::vector<std::pair<std::string, std::string>> variables = {{name, "1"}};
    const auto options = runtime::options_from(variables);
    EXPECT_TRUE(options) << options.status().message;
  }
}

TEST(TasksPerNode, AreReadAsSlurmWritesThem) {
  EXPECT_EQ(tasks_of_node("4", 0), 4U);
  EXPECT_EQ(tasks_of_node("2(x3),1", 2), 2U);
  EXPECT_EQ(tasks_of_node("2(x3),1", 3), 1U);
  EXPECT_EQ(tasks_of_node("2(x3),1", 4), std::nullopt);
  EXPECT_EQ(tasks_of_node("", 0), std::nullopt);
  EXPECT_EQ(tasks_of_node("2(x", 0), std::nullopt);
  EXPECT_EQ(tasks_of_node("2(x3", 0), std::nullopt);
  EXPECT_EQ(tasks_of_node("x", 0), std::nullopt);
}

}  // namespace
}  // namespace weir::launch
