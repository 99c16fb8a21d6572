// SPDX-License-Identifier: Apache-2.0

#include "launch/binding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace weir::launch {
namespace {

using machine::Machine;
using testing::ElementsAre;

Machine described(const std::string& text) {
  auto machine = Machine::from_description(text);
  EXPECT_TRUE(machine) << machine.status().message;
  return *machine;
}

// The CPUs of each rank, as "0-3 | 4-7".
std::string cpus(const std::string& machine, std::uint32_t ranks, BindRanks bind = BindRanks::cores) {
  std::string text;
  for (const Share& share : shares(described(machine), ranks, bind)) {
    if (!text.empty()) text += " | ";
    text += shown(share.os_cpus);
  }
  return text;
}

constexpr const char* kOneDomain = "core:8 pu:1";
constexpr const char* kTwoDomains = "pack:2 [numa(memory=4GB)] core:4 pu:2";
constexpr const char* kFourDomains = "pack:1 group:4 [numa(memory=24GB)] [numa(memory=4GB)] core:2 pu:1";

TEST(Binding, GivesEachRankCoresOfItsOwn) {
  EXPECT_EQ(cpus(kOneDomain, 1), "0-7");
  EXPECT_EQ(cpus(kOneDomain, 2), "0-3 | 4-7");
  EXPECT_EQ(cpus(kOneDomain, 3), "0-1 | 2-4 | 5-7");
  EXPECT_EQ(cpus(kOneDomain, 8), "0 | 1 | 2 | 3 | 4 | 5 | 6 | 7");
}

TEST(Binding, GivesACoreWithAllItsHardwareThreads) {
  EXPECT_EQ(cpus("core:2 pu:2", 2), "0-1 | 2-3");
  EXPECT_EQ(cpus(kTwoDomains, 8), "0-1 | 2-3 | 4-5 | 6-7 | 8-9 | 10-11 | 12-13 | 14-15");
}

TEST(Binding, GivesNoRankCoresOfTwoDomainsWhereThereAreAsManyRanksAsDomains) {
  EXPECT_EQ(cpus(kTwoDomains, 2), "0-7 | 8-15");
  EXPECT_EQ(cpus(kTwoDomains, 3), "0-3 | 4-7 | 8-15");
  EXPECT_EQ(cpus(kFourDomains, 6), "0 | 1 | 2 | 3 | 4-5 | 6-7");
}

TEST(Binding, GivesWholeDomainsToFewerRanks) {
  EXPECT_EQ(cpus(kFourDomains, 1), "0-7");
  EXPECT_EQ(cpus(kFourDomains, 2), "0-3 | 4-7");
  EXPECT_EQ(cpus(kFourDomains, 3), "0-1 | 2-3 | 4-7");
}

TEST(Binding, LetsMoreRanksThanCoresShareTheirDomain) {
  EXPECT_EQ(cpus(kOneDomain, 9), "0-7 | 0-7 | 0-7 | 0-7 | 0-7 | 0-7 | 0-7 | 0-7 | 0-7");
  EXPECT_EQ(cpus("pack:2 [numa(memory=1GB)] core:1 pu:1", 4), "0 | 0 | 1 | 1");
  EXPECT_EQ(cpus(kFourDomains, 9), "0-1 | 0-1 | 0-1 | 2 | 3 | 4 | 5 | 6 | 7");
}

TEST(Binding, ByDomainsLetsRanksOfADomainShareItsCores) {
  EXPECT_EQ(cpus(kTwoDomains, 4, BindRanks::domains), "0-7 | 0-7 | 8-15 | 8-15");
  EXPECT_EQ(cpus(kFourDomains, 2, BindRanks::domains), "0-3 | 4-7");
}

TEST(Binding, OfNoneGivesEveryRankAll) { EXPECT_EQ(cpus(kTwoDomains, 2, BindRanks::none), "0-15 | 0-15"); }

TEST(Binding, NamesTheMemoryOfTheDomains) {
  const Machine machine = described(kFourDomains);
  const auto four = shares(machine, 4, BindRanks::cores);
  ASSERT_EQ(four[1].nodes.size(), 2U);
  for (const MemoryNodeId node : four[1].nodes)
    EXPECT_THAT(machine.memory_node(node).local_domains, ElementsAre(DomainId{1}));
  EXPECT_EQ(shares(machine, 2, BindRanks::cores)[1].nodes.size(), 4U);
  const std::string text = shown(four[1], machine);
  EXPECT_TRUE(text.starts_with("CPUs 2-3 of domain1 (memory ")) << text;
}

// Every machine of a domain to four with one to eight cores each, and any number of ranks: what the header promises.
TEST(Binding, SharesOutAllCoresFairly) {
  for (const int domains : {1, 2, 3, 4}) {
    for (const int cores : {1, 2, 3, 8}) {
      const Machine machine =
          described("pack:" + std::to_string(domains) + " [numa(memory=1GB)] core:" + std::to_string(cores) + " pu:1");
      const int all = domains * cores;
      for (std::uint32_t ranks = 1; ranks <= static_cast<std::uint32_t>(2 * all + 1); ++ranks) {
        std::vector<int> users(static_cast<std::size_t>(all), 0);
        for (const Share& share : shares(machine, ranks, BindRanks::cores)) {
          ASSERT_FALSE(share.os_cpus.empty());
          EXPECT_TRUE(share.domains.size() == 1 || ranks < machine.domains().size());
          for (const int cpu : share.os_cpus) ++users[static_cast<std::size_t>(cpu)];
        }
        const auto [least, most] = std::minmax_element(users.begin(), users.end());
        EXPECT_GE(*least, 1) << "a core without a rank: " << domains << " x " << cores << " for " << ranks;
        EXPECT_TRUE(*most == 1 || static_cast<int>(ranks) > all) << domains << " x " << cores << " for " << ranks;
      }
    }
  }
}

TEST(Binding, TellsWhetherRanksShareCpus) {
  const Machine machine = described(kOneDomain);
  EXPECT_FALSE(overlap(shares(machine, 8, BindRanks::cores)));
  EXPECT_TRUE(overlap(shares(machine, 9, BindRanks::cores)));
  EXPECT_TRUE(overlap(shares(machine, 2, BindRanks::none)));
  EXPECT_FALSE(overlap(shares(machine, 1, BindRanks::none)));
}

TEST(Binding, WritesNumbersOfCpusAsRanges) {
  const auto text = [](std::vector<int> numbers) { return shown(numbers); };
  EXPECT_EQ(text({0}), "0");
  EXPECT_EQ(text({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(text({1, 3, 4}), "1,3-4");
  EXPECT_EQ(text({}), "");
}

}  // namespace
}  // namespace weir::launch
