// SPDX-License-Identifier: Apache-2.0

#include "launch/host_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "launch/mpi_starter.hpp"

namespace weir::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Host> hosts(const std::string& text) {
  auto result = hosts_of(text, "hosts");
  EXPECT_TRUE(result) << result.status().message;
  return result ? *result : std::vector<Host>{};
}

std::string refusal(const std::string& text) {
  const auto result = hosts_of(text, "hosts");
  EXPECT_TRUE(result || result.status().code == base::Code::bad_input);
  return result ? "none" : result.status().message;
}

TEST(HostFile, HasANameOnEachLineWithOrWithoutSlots) {
  EXPECT_THAT(hosts("# all\nnode1 slots=4  # big\n\n  node-2:3\nnode3.site\r\n"),
              ElementsAre(Host{"node1", 4}, Host{"node-2", 3}, Host{"node3.site", std::nullopt}));
}

TEST(HostFile, AddsUpWhatIsSaidOfOneHostTwice) {
  EXPECT_THAT(hosts("a\na\nb:2\nb\nc:1\nc:5\n"), ElementsAre(Host{"a", 2}, Host{"b", 3}, Host{"c", 6}));
}

TEST(HostFile, NamesTheLineThatIsWrong) {
  EXPECT_THAT(refusal("a\nb slots=0\n"), HasSubstr("hosts:2: host b has 0 slots"));
  EXPECT_THAT(refusal("a slots=x"), HasSubstr("hosts:1: host a has x slots"));
  EXPECT_THAT(refusal("a:"), HasSubstr("hosts:1: host a has  slots"));
  EXPECT_THAT(refusal("a:1:2"), HasSubstr("hosts:1: host a has 1:2 slots"));
  EXPECT_THAT(refusal("a:99999"), HasSubstr("99999 slots"));
  EXPECT_THAT(refusal("\n\na b\n"), HasSubstr("hosts:3: b is not understood"));
  EXPECT_THAT(refusal("a slots=2 max=4"), HasSubstr("slots=2 is not understood"));
  EXPECT_THAT(refusal("-x\n"), HasSubstr("-x is no name"));
  EXPECT_THAT(refusal(std::string("a\0b", 3)), HasSubstr("a\\x00b is no name"));
  EXPECT_THAT(refusal("# nothing\n"), HasSubstr("hosts: names no host"));
}

TEST(HostFile, IsRefusedWhenItCannotBeRead) {
  EXPECT_THAT(read_host_file("no/such").status().message, HasSubstr("no/such: cannot be read: No such file"));
  EXPECT_FALSE(read_host_file("/"));
}

TEST(RanksOfHosts, FillSlotsFirstAndShareTheRestEvenly) {
  const auto of = [](const std::string& text, std::uint32_t ranks) { return ranks_of(hosts(text), ranks); };
  EXPECT_THAT(of("a\nb", 4), ElementsAre(2, 2));
  EXPECT_THAT(of("a\nb\nc", 4), ElementsAre(2, 1, 1));
  EXPECT_THAT(of("a\nb\nc", 2), ElementsAre(1, 1, 0));
  EXPECT_THAT(of("a:2\nb:2", 3), ElementsAre(2, 1));
  EXPECT_THAT(of("a:1\nb\nc", 5), ElementsAre(1, 2, 2));
  EXPECT_THAT(of("a:1\nb:2", 7), ElementsAre(3, 4)) << "more ranks than slots";
}

TEST(MpiStarter, IsKnownByItsVersion) {
  EXPECT_EQ(*kind_of("mpirun.openmpi (OpenRTE) 4.1.4\n", "mpirun"), MpiKind::open_mpi);
  EXPECT_EQ(*kind_of("mpirun (Open MPI) 5.0.1\n", "mpirun"), MpiKind::open_mpi);
  EXPECT_EQ(*kind_of("HYDRA build details:\n    Version: 4.0.2\n", "mpiexec"), MpiKind::mpich);
  const auto other = kind_of("Frobnicate 3\nmore", "/bin/mpirun");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.status().message,
              HasSubstr("/bin/mpirun is of neither Open MPI nor MPICH: its --version says \"Frobnicate 3\""));
}

TEST(MpiStarter, GetsHostsAndOptionsInItsOwnForm) {
  const std::vector<Host> two = hosts("a\nb");
  EXPECT_EQ(host_lines(MpiKind::open_mpi, two, 4), "a slots=2\nb slots=2\n");
  EXPECT_EQ(host_lines(MpiKind::mpich, two, 4), "a:2\nb:2\n");
  EXPECT_EQ(host_lines(MpiKind::mpich, two, 1), "a:1\n");
  MpiJob job{.words = {"./p", "-x"}, .ranks = 4, .host_file = "h"};
  EXPECT_THAT(command_of({"mpirun", MpiKind::open_mpi}, job),
              ElementsAre("mpirun", "--hostfile", "h", "-n", "4", "--map-by", "slot:OVERSUBSCRIBE", "./p", "-x"));
  EXPECT_THAT(command_of({"mpiexec", MpiKind::mpich}, job), ElementsAre("mpiexec", "-f", "h", "-n", "4", "./p", "-x"));
  job.label = true;
  job.bind = BindRanks::domains;
  job.passed = {"WEIR_TIERS"};
  EXPECT_THAT(command_of({"mpirun", MpiKind::open_mpi}, job),
              ElementsAre("mpirun", "--hostfile", "h", "-n", "4", "--map-by", "slot:OVERSUBSCRIBE", "--tag-output",
                          "--bind-to", "numa", "-x", "WEIR_TIERS", "./p", "-x"));
  EXPECT_THAT(command_of({"mpiexec", MpiKind::mpich}, job),
              ElementsAre("mpiexec", "-f", "h", "-n", "4", "-prepend-rank", "-bind-to", "numa", "./p", "-x"));
}

TEST(MpiStarter, PassesOnTheVariablesOfWeirAndOpenShmemOnly) {
  EXPECT_TRUE(is_passed_on("WEIR_TIERS"));
  EXPECT_TRUE(is_passed_on("SHMEM_SYMMETRIC_SIZE"));
  EXPECT_TRUE(is_passed_on("SMA_SYMMETRIC_SIZE"));
  EXPECT_TRUE(is_passed_on("LD_LIBRARY_PATH"));
  EXPECT_FALSE(is_passed_on("WEIR_RANK"));
  EXPECT_FALSE(is_passed_on("HOME"));
}

}  // namespace
}  // namespace weir::launch
