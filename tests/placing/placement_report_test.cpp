// SPDX-License-Identifier: Apache-2.0

#include "placement_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::tool {
namespace {

std::string name_of(int node) { return node == 0 ? "ddr0" : "hbm" + std::to_string(node - 1); }

const PlacementWords kEverything{.nodes = {1}, .only_large = false, .large = "allocations", .name_of = &name_of};

TEST(PlacementReport, SaysHowMuchIsWhereItWasAskedAndWhatIsElsewhere) {
  const auto processes =
      read_placements("start 7 1:0\nend 7 1:0 0 1:1:5900000000 2:0:100000000 3:1:20000000 name my program\n");
  ASSERT_EQ(processes.size(), 1u);
  EXPECT_EQ(processes[0].name, "my program");
  EXPECT_EQ(bytes_of(processes[0]), 6'020'000'000u);
  EXPECT_EQ(placement_text(processes[0], kEverything), "5.9 of 6.0 GB in hbm0; 100.0 MB stacks in ddr0");
}

TEST(PlacementReport, CountsOnlyLargeAllocationsWhenOnlyTheseWereAskedFor) {
  const auto processes = read_placements("start 7 1:0\nend 7 1:0 0 0:1:3000000 0:0:1000000 1:0:2000 name p\n");
  ASSERT_EQ(processes.size(), 1u);
  PlacementWords words = kEverything;
  words.only_large = true;
  words.large = "allocations from 1 MiB";
  EXPECT_EQ(placement_text(processes[0], words),
            "3.0 of 4.0 MB allocations from 1 MiB in hbm0; 1.0 MB allocations from 1 MiB in ddr0; 2.0 kB heap in ddr0");
}

TEST(PlacementReport, SaysWhatEachOfSeveralNodesHas) {
  const auto processes = read_placements("start 7 1:0\nend 7 1:0 0 0:1:9000000 0:2:3000000 0:0:2000000 name p\n");
  ASSERT_EQ(processes.size(), 1u);
  PlacementWords words = kEverything;
  words.nodes = {1, 2, 3};
  EXPECT_EQ(placement_text(processes[0], words),
            "12.0 of 14.0 MB in hbm0 (9.0), hbm1 (3.0), hbm2 (0.0); 2.0 MB allocations in ddr0");
}

TEST(PlacementReport, SaysWherePagesThatWereToBeSpreadAreNot) {
  const auto uneven = [](const char* told, bool only_large = false) {
    const auto processes = read_placements(told);
    PlacementWords words = kEverything;
    words.nodes = {1, 2};
    words.only_large = only_large;
    return uneven_text(processes.at(0), words);
  };
  EXPECT_EQ(uneven("start 7 1:0\nend 7 1:0 0 0:1:9000000 0:2:3000000 name p\n"),
            "least has 3.0 MB, in hbm1, and most 9.0 MB, in hbm0");
  EXPECT_EQ(uneven("start 7 1:0\nend 7 1:0 0 0:1:9000000 0:2:8000000 name p\n"), "");
  EXPECT_EQ(uneven("start 7 1:0\nend 7 1:0 0 0:1:3000000 name p\n"), "") << "so little";
  EXPECT_EQ(uneven("start 7 1:0\nend 7 1:0 0 1:1:90000000 name p\n", true), "") << "what was not asked to be there";
}

TEST(PlacementReport, KnowsWhichProcessesHaveNotTold) {
  const auto processes = read_placements("start 7 1:0\nstart 8 1:0\nend 7 1:0 2 1:1:4096 name p\n");
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_TRUE(processes[0].ended);
  EXPECT_EQ(processes[0].failures, 2);
  EXPECT_FALSE(processes[1].ended);
}

TEST(PlacementReport, TakesAProcessThatBecomesAnotherProgramForTheLastOne) {
  const auto processes = read_placements("start 7 1:0\nstart 7 1:0\nend 7 1:0 0 1:1:4096 name second\n");
  ASSERT_EQ(processes.size(), 1u);
  EXPECT_EQ(processes[0].name, "second");
}

TEST(PlacementReport, TellsProcessesOfOneNumberApart) {
  const auto processes = read_placements(
      "start 2 10:5\nstart 2 11:5\nend 2 10:5 0 1:1:4096 name first\nend 2 11:5 0 1:1:8192 name second\n"
      "start 2 11:9\n");
  ASSERT_EQ(processes.size(), 3u);
  EXPECT_EQ(processes[0].name, "first");
  EXPECT_EQ(bytes_of(processes[0]), 4096u);
  EXPECT_EQ(processes[1].name, "second");
  EXPECT_EQ(bytes_of(processes[1]), 8192u);
  EXPECT_FALSE(processes[2].ended);
}

TEST(PlacementReport, TakesTheLastOfWhatAProcessTells) {
  const auto processes = read_placements("start 7 1:0\nend 7 1:0 3 1:1:4096 name p\nend 7 1:0 1 1:1:8192 name p\n");
  ASSERT_EQ(processes.size(), 1u);
  EXPECT_EQ(processes[0].failures, 1);
  EXPECT_EQ(bytes_of(processes[0]), 8192u);
}

TEST(PlacementReport, TakesANameThatLooksLikeACountForAName) {
  const auto processes = read_placements("start 7 1:0\nend 7 1:0 0 1:1:4096 name 1:0:99999999 name 2:0:5\n");
  ASSERT_EQ(processes.size(), 1u);
  EXPECT_EQ(processes[0].name, "1:0:99999999 name 2:0:5");
  EXPECT_EQ(bytes_of(processes[0]), 4096u);
}

TEST(PlacementReport, KnowsWhichProgramsHaveAnAllocatorOfTheirOwn) {
  const auto processes = read_placements(
      "start 7 1:0\nstart 8 1:0\nend 7 1:0 0 own-malloc 1:1:4096 name p\nend 8 1:0 0 name own-malloc\n");
  ASSERT_EQ(processes.size(), 2u);
  EXPECT_TRUE(processes[0].own_malloc);
  EXPECT_FALSE(processes[1].own_malloc);
  EXPECT_EQ(bytes_of(processes[0]), 4096u);
}

TEST(PlacementReport, PassesOverLinesThatAreNotTheLibrarys) {
  EXPECT_TRUE(read_placements("").empty());
  EXPECT_TRUE(read_placements("hello\nend 3 1:0 0 1:1:1 name p\nstart x\n").empty());
}

}  // namespace
}  // namespace weir::tool
