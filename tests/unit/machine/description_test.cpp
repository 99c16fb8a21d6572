// SPDX-License-Identifier: Apache-2.0

#include "machine/description.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "machine/machine.hpp"

namespace weir::machine {
namespace {

using testing::HasSubstr;

struct Wrong {
  const char* text;
  int column;
  const char* words;
};

class WrongDescription : public testing::TestWithParam<Wrong> {};

TEST_P(WrongDescription, IsToldWithItsColumn) {
  const auto machine = Machine::from_description(GetParam().text);
  ASSERT_FALSE(machine) << GetParam().text;
  EXPECT_EQ(machine.status().code, base::Code::bad_input);
  EXPECT_THAT(machine.status().message, HasSubstr("column " + std::to_string(GetParam().column) + ": "))
      << GetParam().text;
  EXPECT_THAT(machine.status().message, HasSubstr(GetParam().words)) << GetParam().text;
  EXPECT_EQ(machine.status().message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Each, WrongDescription,
    testing::Values(
        Wrong{"", 1, "no level"}, Wrong{"   ", 4, "no level"}, Wrong{"pack:2 core:x", 13, "expected a count"},
        Wrong{"pack:2 core:", 13, "expected a count"}, Wrong{"pack", 5, "expected ':'"},
        Wrong{"pack:2 pu:1 garbage", 13, "unknown type \"garbage\""},
        Wrong{"pack:2 corn:1 pu:1", 8, "unknown type \"corn\""}, Wrong{"memcache:2 pu:2", 1, "unknown type"},
        Wrong{"pack:0 pu:2", 6, "a count of 0"}, Wrong{"pack:2 core:2", 8, "the last level must be pu"},
        Wrong{"pu:2 core:2", 6, "pu must be the last level"}, Wrong{"core:2 core:2 pu:1", 8, "a second level"},
        Wrong{"pack:9999 pu:99999", 14, "more than 65536"},
        Wrong{"pack:99999999999999999999 pu:1", 6, "more than 65536"}, Wrong{"pack:2x pu:1", 7, "unexpected 'x'"},
        Wrong{"pack:2(colour=1) pu:1", 8, "unknown attribute \"colour\""},
        Wrong{"pack:2(memory) pu:1", 14, "expected '='"},
        Wrong{"pack:1 [numa(memory=4ZB)] pu:1", 22, "unknown unit \"ZB\""},
        Wrong{"pack:1 [numa(memory=GB)] pu:1", 21, "expected a size"},
        Wrong{"pack:1 [numa(memory=0)] pu:1", 21, "expected a size"},
        Wrong{"pack:1 [numa(memory=4GB] pu:1", 22, "unknown unit"},
        Wrong{"pack:1 [numa(memory=4GB", 24, "expected ')'"}, Wrong{"pack:1 [numa core:2", 13, "expected ']'"},
        Wrong{"pack:1 [numa] pu:2", 13, "needs a size"}, Wrong{"pack:1 [core] pu:2", 9, "only [numa]"},
        Wrong{"pack:1 numa:2 [numa(memory=1GB)] pu:2", 15, "exclude each other"},
        Wrong{"pack:1 [numa(memory=1GB)] numa:2 pu:2", 27, "exclude each other"}));

class RightDescription : public testing::TestWithParam<const char*> {};

TEST_P(RightDescription, IsAccepted) {
  const auto machine = Machine::from_description(GetParam());
  ASSERT_TRUE(machine) << machine.status().message;
  EXPECT_FALSE(machine->is_this_system());
  EXPECT_GT(machine->core_count(), 0);
}

INSTANTIATE_TEST_SUITE_P(Each, RightDescription,
                         testing::Values("2 2 2", "pu:1", "  core:2   pu:1  ", "Package:2 L3Cache:1 Core:2 PU:2",
                                         "numa:2(memory=1GiB) l3:1(size=8MB) core:2 pu:2(indexes=0,4,2,6,1,5,3,7)",
                                         "[numa(memory=256GB)] pack:2 [numa(memory=512GB indexes=3,4)] pu:2",
                                         "pack:2 die:2 group:2 group:2 pu:2",
                                         "pack:1 [numa(memory=8GB)][numa(memory=4GB)] pu:2"));

TEST(DescriptionFile, AMissingFileIsNotTakenForADescription) {
  const auto machine = Machine::from_description("no/such/machine.xml");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.status().code, base::Code::not_found);
  EXPECT_THAT(machine.status().message, HasSubstr("no/such/machine.xml"));
}

TEST(DescriptionFile, AFileThatIsNoMachineIsRefused) {
  const auto machine = Machine::from_description("/proc/self/exe");
  ASSERT_FALSE(machine);
  EXPECT_THAT(machine.status().message, HasSubstr("not an XML file of hwloc"));
}

TEST(DescriptionFile, AFolderIsRefused) { EXPECT_FALSE(Machine::from_description("/")); }

// hwloc 2.9 crashes on each of these. The file is one that it has written, with the first attribute of a name spoiled.
TEST(DescriptionFile, ThatMakesHwlocCrashIsRefused) {
  std::ifstream original(std::string(WEIR_MACHINES) + "knl_snc4_flat.xml");
  const std::string text(std::istreambuf_iterator<char>(original), {});
  const std::string path = testing::TempDir() + "weir-crashes-hwloc-" + std::to_string(getpid()) + ".xml";
  for (const std::string name : {"complete_nodeset=", "complete_cpuset="}) {
    std::string spoiled = text;
    spoiled.insert(text.find(name) + 8, "x");
    std::ofstream(path) << spoiled;
    const auto machine = Machine::from_description(path);
    std::remove(path.c_str());
    ASSERT_FALSE(machine) << name;
    EXPECT_THAT(machine.status().message,
                AllOf(HasSubstr(path), HasSubstr("hwloc, the library that reads it, crashes")));
  }
}

TEST(DescriptionFile, IsReadFromSeveralThreadsAtOnce) {
  const std::string path = std::string(WEIR_MACHINES) + "knl_snc4_flat.xml";
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&path] {
      for (int k = 0; k < 5; ++k) EXPECT_TRUE(Machine::from_description(path));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace weir::machine
