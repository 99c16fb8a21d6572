// SPDX-License-Identifier: Apache-2.0

#include "memory/tier_plan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/joined.hpp"
#include "machines.hpp"

namespace weir::memory {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TierSpec spec_of(std::string_view text) {
  auto spec = parse_tiers(text);
  EXPECT_TRUE(spec) << spec.status().message;
  return *spec;
}

TierPlan planned(const machine::Machine& machine, std::string_view spec, const MemoryState& state = system_with(kTiB)) {
  auto plan = plan_tiers(machine, spec_of(spec), state);
  EXPECT_TRUE(plan) << plan.status().message;
  return plan ? std::move(*plan) : TierPlan{};
}

std::string refusal(const machine::Machine& machine, std::string_view spec,
                    const MemoryState& state = system_with(kTiB)) {
  const auto plan = plan_tiers(machine, spec_of(spec), state);
  return plan ? "accepted" : plan.status().message;
}

// "hbm: hbm0 4 GiB, hbm1 4 GiB"
std::vector<std::string> lines(const machine::Machine& machine, const TierPlan& plan) {
  std::vector<std::string> all;
  for (const PlannedTier& tier : plan.tiers) {
    std::vector<std::string> nodes;
    for (const auto& [id, budget] : tier.nodes) {
      nodes.push_back(machine.memory_node(id).name + " " + size_text(budget));
    }
    all.push_back(fmt::format("{}: {}", to_string(tier.request.kind), base::joined(nodes, ", ")));
  }
  return all;
}

TEST(TierPlan, DealsASizeOutEvenlyToTheNodesOfItsKind) {
  const auto m = knl_snc4_flat();
  EXPECT_THAT(lines(m, planned(m, "hbm=14GiB,ddr=64GiB")),
              ElementsAre("hbm: hbm0 3.5 GiB, hbm1 3.5 GiB, hbm2 3.5 GiB, hbm3 3.5 GiB",
                          "ddr: ddr0 16 GiB, ddr1 16 GiB, ddr2 16 GiB, ddr3 16 GiB"));
}

TEST(TierPlan, ANodeThatHasLessGivesLessAndTheOthersMore) {
  const auto m = captured("numa2.xml");
  MemoryState state = system_with(kTiB);
  ASSERT_EQ(m.memory_nodes().size(), 2u);
  const std::uint64_t small = m.memory_nodes()[1].capacity.count;
  const std::uint64_t both = small + m.memory_nodes()[0].capacity.count;
  const TierPlan plan = planned(m, fmt::format("memory={}B", both), state);
  EXPECT_EQ(plan.tiers[0].nodes[0].budget.count + plan.tiers[0].nodes[1].budget.count, both);
  EXPECT_EQ(plan.tiers[0].nodes[1].budget.count, small);
}

TEST(TierPlan, WithoutASpecTakesEveryKindFastestFirstLessAReserve) {
  const auto m = knl_snc4_flat();
  EXPECT_THAT(lines(m, planned(m, "")), ElementsAre("hbm: hbm0 3.8 GiB, hbm1 3.8 GiB, hbm2 3.8 GiB, hbm3 3.8 GiB",
                                                    "ddr: ddr0 22.8 GiB, ddr1 22.8 GiB, ddr2 22.8 GiB, ddr3 22.8 GiB"));
}

TEST(TierPlan, PutsCxlAfterOrdinaryMemory) {
  const auto m = captured("two_sockets_cxl.xml");
  const TierPlan plan = planned(m, "");
  ASSERT_EQ(plan.tiers.size(), 2u);
  EXPECT_EQ(plan.tiers[0].request.kind, TierKind::ddr);
  EXPECT_EQ(plan.tiers[1].request.kind, TierKind::cxl);
}

TEST(TierPlan, TakesADevicesMemoryOnlyWhenItIsNamed) {
  const auto m = captured("grace_hopper.xml");
  for (const PlannedTier& tier : planned(m, "").tiers) EXPECT_NE(tier.request.kind, TierKind::device);
}

TEST(TierPlan, LeavesAQuarterAtMostOfASmallNodeInReserve) {
  const auto m = described("numa:1(memory=512MB) core:1 pu:1");
  const std::uint64_t free = m.memory_nodes()[0].capacity.count;
  EXPECT_EQ(planned(m, "").tiers[0].nodes[0].budget.count, (free - free / 4) / 4096 * 4096);
}

TEST(TierPlan, ACgroupLimitsAllTiersTogetherFasterOnesFirst) {
  const auto m = knl_snc4_flat();
  EXPECT_THAT(lines(m, planned(m, "", system_with(20 * kGiB, "its cgroup"))),
              ElementsAre("hbm: hbm0 3.8 GiB, hbm1 3.8 GiB, hbm2 3.8 GiB, hbm3 3.8 GiB",
                          "ddr: ddr0 972.8 MiB, ddr1 972.8 MiB, ddr2 972.8 MiB, ddr3 972.8 MiB"));
  EXPECT_THAT(lines(m, planned(m, "", system_with(8 * kGiB, "its cgroup"))),
              ElementsAre("hbm: hbm0 1.9 GiB, hbm1 1.9 GiB, hbm2 1.9 GiB, hbm3 1.9 GiB"));
}

TEST(TierPlan, LeavesHalfOfALimitOfTheProcessToTheProgram) {
  const auto m = described("numa:1(memory=64GB) core:1 pu:1");
  for (const char* const by : {"ulimit -v", "ulimit -d"})
    EXPECT_THAT(lines(m, planned(m, "", system_with(8 * kGiB, by))), ElementsAre("ddr: ddr0 4 GiB")) << by;
}

TEST(TierPlan, TakesWhatIsFreeNotWhatTheNodeHoldsWhereItIsThisSystem) {
  const auto machine = machine::Machine::discover();
  ASSERT_TRUE(machine) << machine.status().message;
  if (machine->memory_nodes().size() > 1) GTEST_SKIP() << "several memory nodes";
  const TierPlan plan = planned(*machine, "memory=1MiB", system_with(kTiB, "the machine", {2 * kMiB}));
  EXPECT_EQ(plan.tiers[0].nodes[0].budget, Bytes{kMiB});
  EXPECT_EQ(refusal(*machine, "memory=4MiB", system_with(kTiB, "the machine", {2 * kMiB})),
            "tier memory: asked for 4 MiB, available are 2 MiB (free on its memory nodes); ask for less, or say prefer "
            "to take what there is");
}

TEST(TierPlan, ASizeThatCannotBeHadIsAnErrorThatNamesTierAskedAndAvailable) {
  const auto m = knl_snc4_flat();
  EXPECT_EQ(
      refusal(m, "hbm=20GiB,ddr"),
      "tier hbm: asked for 20 GiB, available are 16 GiB (free on its memory nodes); ask for less, or say prefer to "
      "take what there is");
  EXPECT_EQ(
      refusal(m, "hbm=2GiB,ddr=64GiB", system_with(32 * kGiB, "its cgroup")),
      "tier ddr: asked for 64 GiB, available are 30 GiB (left by its cgroup); ask for less, or say prefer to take "
      "what there is");
}

TEST(TierPlan, AKindThatTheMachineLacksIsAnErrorThatNamesWhatItHas) {
  EXPECT_EQ(
      refusal(captured("two_sockets_cxl.xml"), "hbm=1GiB,ddr"),
      "tier hbm: this machine has no such memory that this process may use; it has ddr, cxl; leave it out, or say "
      "prefer to go on without it");
}

TEST(TierPlan, WithPreferItTakesWhatThereIsAndWarns) {
  const auto m = knl_snc4_flat();
  const TierPlan plan = planned(m, "prefer,hbm=20GiB,cxl=1GiB,ddr=8GiB");
  EXPECT_THAT(lines(m, plan), ElementsAre("hbm: hbm0 4 GiB, hbm1 4 GiB, hbm2 4 GiB, hbm3 4 GiB",
                                          "ddr: ddr0 2 GiB, ddr1 2 GiB, ddr2 2 GiB, ddr3 2 GiB"));
  EXPECT_THAT(plan.warnings, ElementsAre("tier hbm: asked for 20 GiB, available are 16 GiB (free on its memory nodes)",
                                         "tier cxl: this machine has no such memory that this process may use; it has "
                                         "ddr, hbm"));
}

TEST(TierPlan, SaidSizesAreGivenBeforeThoseThatAreWhatIsFree) {
  const auto m = described("numa:1(memory=32GiB) core:1 pu:1");
  const TierPlan plan = planned(m, "memory,emulated=24GiB@0.25");
  EXPECT_EQ(plan.tiers[1].nodes[0].budget, Bytes{24 * kGiB});
  EXPECT_EQ(plan.tiers[0].nodes[0].budget.count, 8 * kGiB - 8 * kGiB / 20 / 4096 * 4096 - 4096);
}

TEST(TierPlan, AFileMustComeAfterMemory) {
  const auto m = knl_snc4_flat();
  EXPECT_EQ(refusal(m, "file=/tmp:1GiB,ddr"),
            "tiers: tasks cannot work in a file; put memory before it, as in memory=512MiB,file=/tmp");
  EXPECT_EQ(refusal(m, "prefer,cxl=1GiB,file=/tmp"),
            "tiers: tasks cannot work in a file; put memory before it, as in memory=512MiB,file=/tmp");
}

TEST(TierPlan, WithNothingLeftSaysWhy) {
  EXPECT_EQ(
      refusal(knl_snc4_flat(), "prefer,cxl=1GiB"),
      "tiers: none is left: tier cxl: this machine has no such memory that this process may use; it has ddr, hbm; "
      "ask for memory that there is, as in memory=512MiB");
}

TEST(TierPlan, AnEmptySpecPrefersAndASpecDoesNot) {
  const auto m = knl_snc4_flat();
  EXPECT_TRUE(planned(m, "").prefer);
  EXPECT_FALSE(planned(m, "hbm,ddr").prefer);
  EXPECT_TRUE(planned(m, "hbm,ddr,prefer").prefer);
  EXPECT_THAT(planned(m, "").warnings, IsEmpty());
}

}  // namespace
}  // namespace weir::memory
