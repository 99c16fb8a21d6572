// SPDX-License-Identifier: Apache-2.0

#include "machine/cost_model.hpp"

#include <gtest/gtest.h>

#include <string>

#include "described.hpp"

namespace weir::machine {
namespace {

constexpr std::size_t kFast = 0, kSlow = 1, kFile = 2;
constexpr std::uint64_t kGB = 1'000'000'000;

// One domain: 100 GB/s; 25 GB/s to read and 12.5 to write; a file of 2 GB/s, 100 us away. A core is not limited by the
// memory, whose latency is not known.
CostModel three_nodes() { return CostModel({{{100, 100, 0}}, {{25, 12.5, 0}}, {{2, 1, 100'000}}}); }

TEST(CostModel, InPlaceUseTakesTheTimeOfReadsAndOfWrites) {
  struct Case {
    const char* what;
    std::size_t node;
    Traffic traffic;
    unsigned others;
    double seconds;
  };
  const Case cases[] = {
      {"reads of fast memory", kFast, {kGB, 0}, 0, 0.01},
      {"reads of slow memory", kSlow, {kGB, 0}, 0, 0.04},
      {"writes of slow memory", kSlow, {0, kGB}, 0, 0.08},
      {"both", kSlow, {kGB, kGB}, 0, 0.12},
      {"one of two streams", kSlow, {kGB, 0}, 1, 0.08},
      {"one of four streams", kSlow, {kGB, kGB}, 3, 0.48},
      {"nothing", kSlow, {0, 0}, 3, 0},
  };
  const CostModel model = three_nodes();
  for (const Case& c : cases) {
    EXPECT_DOUBLE_EQ(model.in_place_seconds(c.node, DomainId{0}, c.traffic, c.others), c.seconds) << c.what;
  }
}

TEST(CostModel, ACopyTakesTheTimeOfItsSlowerEnd) {
  struct Case {
    const char* what;
    std::size_t from, to;
    OtherStreams others;
    double seconds;
  };
  const Case cases[] = {
      {"from slow to fast memory", kSlow, kFast, {}, 0.04},
      {"from fast to slow memory", kFast, kSlow, {}, 0.08},
      {"the source is shared", kSlow, kFast, {1, 0}, 0.08},
      {"the destination is shared, and still the faster end", kSlow, kFast, {0, 2}, 0.04},
      {"the destination is shared, and the slower end", kSlow, kFast, {0, 9}, 0.1},
      {"within one node it reads, then writes", kFast, kFast, {}, 0.02},
      {"within one node that others use", kSlow, kSlow, {1, 1}, 0.24},
      {"from a file", kFile, kFast, {}, 0.5001},
      {"to a file", kSlow, kFile, {}, 1},
  };
  const CostModel model = three_nodes();
  for (const Case& c : cases) {
    EXPECT_DOUBLE_EQ(model.copy_seconds(c.from, c.to, kGB, c.others), c.seconds) << c.what;
  }
  EXPECT_EQ(model.copy_seconds(kFile, kFast, 0), 0);
}

TEST(CostModel, ACoreAloneIsLimitedByTheLatency) {
  const CostModel model({{{400, 400, 128}}});
  // 24 lines of 64 bytes in 128 ns.
  EXPECT_NEAR(model.in_place_seconds(0, DomainId{0}, {12 * kGB, 0}), 1, 1e-6);
  EXPECT_NEAR(model.in_place_seconds(0, DomainId{0}, {12 * kGB, 0}, 15), 1, 1e-6)
      << "16 cores together do not reach the limit";
  EXPECT_NEAR(model.in_place_seconds(0, DomainId{0}, {12 * kGB, 0}, 99), 3, 1e-6) << "100 cores do";
  EXPECT_NEAR(model.copy_seconds(0, 0, 12 * kGB), 1, 1e-6);
}

TEST(CostModel, SmallTransfersTakeTheLatency) {
  EXPECT_NEAR(three_nodes().copy_seconds(kFile, kFast, 4096), 102e-6, 1e-6);
}

TEST(CostModel, ANodeIsSeenDifferentlyFromEachDomain) {
  const CostModel model({{{100, 0, 0}, {40, 0, 0}}, {{40, 0, 0}, {100, 0, 0}}});
  EXPECT_DOUBLE_EQ(model.in_place_seconds(0, DomainId{0}, {kGB, 0}), 0.01);
  EXPECT_DOUBLE_EQ(model.in_place_seconds(0, DomainId{1}, {kGB, 0}), 0.025);
  EXPECT_DOUBLE_EQ(model.copy_seconds(0, 1, kGB), 0.025) << "one end is remote wherever the copying thread is";
  EXPECT_DOUBLE_EQ(model.cost(0, DomainId{1}).write_gb_per_s, 40) << "no bandwidth of writing is said: that of reading";
}

TEST(CostModel, WhatIsLeftInSlowMemoryIsReadInTheTimeOfTheRest) {
  const CostModel model({{{100, 0, 0}}, {{50, 0, 0}}, {{25, 0, 0}}});
  EXPECT_DOUBLE_EQ(model.slow_share(0, 1, DomainId{0}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(model.slow_share(0, 2, DomainId{0}), 0.2);
  const double share = model.slow_share(0, 1, DomainId{0});
  const auto slow = static_cast<std::uint64_t>(share * 3e9), fast = 3 * kGB - slow;
  EXPECT_NEAR(model.busy_seconds(1, DomainId{0}, {slow, 0}), model.busy_seconds(0, DomainId{0}, {fast, 0}), 1e-9);
}

// ---- Of machines ----

TEST(CostsOfMachine, WithoutFiguresTheyAreTypicalOfKindAndDistance) {
  const Machine knl = described("pack:1 group:4 [numa(memory=24GiB)] [numa(memory=4GiB)] l2:8 core:2 pu:4");
  const CostModel model(costs_of(knl));
  ASSERT_EQ(model.nodes(), 8u);
  ASSERT_EQ(model.domains(), 4u);
  const std::size_t ddr0 = 0, hbm0 = 1, hbm1 = 3;
  EXPECT_EQ(knl.memory_nodes()[hbm0].kind, MemoryKind::hbm);
  EXPECT_DOUBLE_EQ(model.cost(hbm0, DomainId{0}).read_gb_per_s, 4 * model.cost(ddr0, DomainId{0}).read_gb_per_s);
  EXPECT_LT(model.cost(hbm1, DomainId{0}).read_gb_per_s, model.cost(hbm0, DomainId{0}).read_gb_per_s)
      << "it is another domain's";
  EXPECT_GT(model.in_place_seconds(ddr0, DomainId{0}, {kGB, 0}, 15),
            model.in_place_seconds(hbm0, DomainId{0}, {kGB, 0}, 15));
}

TEST(CostsOfMachine, MeasuredOnesAreTakenBeforeOthers) {
  const Machine machine = described("numa:2(memory=1GiB) core:2 pu:1");
  const Machine measured = machine.with_measured({{{30, 20, 90}, {10, 8, 200}}, {{11, 9, 190}, {31, 21, 91}}});
  const CostModel model(costs_of(measured));
  EXPECT_EQ(model.cost(0, DomainId{0}).read_gb_per_s, 30);
  EXPECT_EQ(model.cost(0, DomainId{1}).write_gb_per_s, 8);
  EXPECT_EQ(model.cost(1, DomainId{0}).latency_ns, 190);
}

TEST(CostsOfMachine, FirmwaresFiguresOfLocalMemoryHoldElsewhereByDistance) {
  const Machine machine = described("numa:2(memory=1GiB) core:2 pu:1");
  const double distance = machine.distance(DomainId{0}, DomainId{1});
  ASSERT_GT(distance, 1);
  const Cost nothing{};
  const Machine claimed =
      machine.with_claimed({MemoryKind::ddr, MemoryKind::ddr}, {{{60, 40, 100}, nothing}, {nothing, {60, 40, 100}}});
  EXPECT_EQ(source_of_costs(claimed, DomainId{0}), CostSource::claimed);
  const CostModel model(costs_of(claimed));
  EXPECT_EQ(model.cost(0, DomainId{0}).read_gb_per_s, 60);
  EXPECT_DOUBLE_EQ(model.cost(1, DomainId{0}).read_gb_per_s, 60 / distance);
  EXPECT_DOUBLE_EQ(model.cost(1, DomainId{0}).latency_ns, 100 * distance);
  const Machine partly =
      machine.with_claimed({MemoryKind::ddr, MemoryKind::ddr}, {{{60, 40, 100}, nothing}, {nothing, nothing}});
  EXPECT_EQ(source_of_costs(partly, DomainId{0}), CostSource::typical);
}

TEST(MachineWithClaimed, IsNamedByTheKindsOfItsMemory) {
  const Machine machine = described("numa:3(memory=1GiB) core:1 pu:1");
  const std::vector<Cost> each(3, Cost{10, 8, 100});
  const Machine named =
      machine.with_claimed({MemoryKind::ddr, MemoryKind::device, MemoryKind::ddr}, {each, each, each});
  EXPECT_EQ(named.memory_nodes()[1].name, "device0");
  EXPECT_EQ(named.memory_nodes()[2].name, "ddr1");
}

TEST(CostsOfMachine, FiguresOfSomeNodesAreNotMixedWithTypicalOnes) {
  const Machine machine = described("numa:2(memory=1GiB) core:2 pu:1");
  const Machine measured = machine.with_measured({{{3000, 0, 0}, {3000, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}});
  const Cost typical = typical_cost(MemoryKind::ddr, 1, 2);
  EXPECT_EQ(CostModel(costs_of(measured)).cost(0, DomainId{0}).read_gb_per_s, typical.read_gb_per_s);
}

}  // namespace
}  // namespace weir::machine
