// SPDX-License-Identifier: Apache-2.0

#include "machine/classify.hpp"

#include <gtest/gtest.h>

namespace weir::machine {
namespace {

constexpr std::uint64_t kGb = 1'000'000'000;

// A node that the kernel says cores belong to, at a locality of its own number.
NodeFacts with_cores(std::uint64_t gigabytes, Cost cost = {}, int locality = 0) {
  NodeFacts node;
  node.locality = node.compared = locality;
  node.has_cores = true;
  node.capacity = {gigabytes * kGb};
  node.best = cost;
  return node;
}
// A node without cores at locality 0.
NodeFacts beside(std::uint64_t gigabytes, Cost cost = {}) {
  NodeFacts node = with_cores(gigabytes, cost);
  node.has_cores = false;
  return node;
}
// As a description shows it.
NodeFacts unsaid(NodeFacts node) {
  node.has_cores.reset();
  return node;
}

MemoryKind second_of(const std::vector<NodeFacts>& nodes) { return classify(nodes)[1]; }

TEST(Classify, MemoryOfOneSortIsOrdinaryHoweverFast) {
  EXPECT_EQ(classify({with_cores(64, {800, 700, 120}), with_cores(64, {800, 700, 120}, 1)}),
            (std::vector{MemoryKind::ddr, MemoryKind::ddr}));
}

TEST(Classify, WithoutNumbersTheSmallerNodeBesideIsHbm) {
  EXPECT_EQ(second_of({with_cores(24), beside(4)}), MemoryKind::hbm);
}

TEST(Classify, WithoutNumbersTheLargerNodeBesideIsSlow) {
  EXPECT_EQ(second_of({with_cores(96), beside(768)}), MemoryKind::cxl);
}

TEST(Classify, WithoutNumbersEqualNodesBesideEachOtherAreUnknown) {
  EXPECT_EQ(second_of({with_cores(64), beside(64)}), MemoryKind::unknown);
}

TEST(Classify, WithoutNumbersAFartherNodeIsSlowEvenWhenItIsSmall) {
  NodeFacts node = beside(16);
  node.locality = 1;
  EXPECT_EQ(second_of({with_cores(64), node}), MemoryKind::cxl);
}

TEST(Classify, MoreBandwidthIsHbmEvenWhenItIsLargerAndSlowerToAnswer) {
  EXPECT_EQ(second_of({with_cores(16, {90, 80, 130}), beside(64, {400, 380, 155})}), MemoryKind::hbm);
}

TEST(Classify, LessBandwidthAndMoreLatencyIsSlowEvenWhenItIsSmall) {
  EXPECT_EQ(second_of({with_cores(64, {250, 220, 100}), beside(16, {50, 45, 250})}), MemoryKind::cxl);
}

TEST(Classify, SlowMemoryThatWritesFarSlowerThanItReadsIsPersistent) {
  EXPECT_EQ(second_of({with_cores(96, {105, 80, 80}), beside(768, {38, 12, 300})}), MemoryKind::nvm);
}

TEST(Classify, LessBandwidthAtTheSameLatencyMeansThatTheCoresSitOnHbm) {
  EXPECT_EQ(classify({with_cores(64, {800, 700, 120}), beside(512, {250, 220, 110})}),
            (std::vector{MemoryKind::hbm, MemoryKind::ddr}));
}

TEST(Classify, EqualCostIsOrdinaryMemoryWithoutCores) {
  EXPECT_EQ(second_of({with_cores(64, {100, 90, 100}), beside(16, {100, 90, 110})}), MemoryKind::ddr);
}

TEST(Classify, OnlyLatencyKnownTellsSlowMemory) {
  EXPECT_EQ(second_of({with_cores(512, {0, 0, 100}), beside(256, {0, 0, 250})}), MemoryKind::cxl);
}

TEST(Classify, WhatTheKernelStatesHolds) {
  NodeFacts gpu = beside(96, {450, 400, 120});
  gpu.stated = NodeFacts::Stated::device;
  NodeFacts pmem = beside(16);
  pmem.stated = NodeFacts::Stated::nvm;
  EXPECT_EQ(classify({with_cores(480, {450, 400, 120}), gpu, pmem}),
            (std::vector{MemoryKind::ddr, MemoryKind::device, MemoryKind::nvm}));
}

TEST(Classify, WhenTheKernelSaysNothingTheLargerNodeIsOrdinaryInWhicheverOrder) {
  const NodeFacts large = unsaid(with_cores(24)), small = unsaid(with_cores(4));
  EXPECT_EQ(classify({large, small}), (std::vector{MemoryKind::ddr, MemoryKind::hbm}));
  EXPECT_EQ(classify({small, large}), (std::vector{MemoryKind::hbm, MemoryKind::ddr}));
}

TEST(Classify, TellsThreeSortsBesideOneSetOfCores) {
  const NodeFacts ddr = unsaid(beside(512, {250, 220, 100})), hbm = unsaid(beside(64, {800, 700, 125})),
                  cxl = unsaid(beside(1024, {60, 50, 260}));
  EXPECT_EQ(classify({cxl, hbm, ddr}), (std::vector{MemoryKind::cxl, MemoryKind::hbm, MemoryKind::ddr}));
}

TEST(Classify, ANodeWithNothingToBeComparedWithIsOrdinary) {
  NodeFacts node = beside(64);
  node.compared = -1;
  EXPECT_EQ(classify({node}), std::vector{MemoryKind::ddr});
}

}  // namespace
}  // namespace weir::machine
