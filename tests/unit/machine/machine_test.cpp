// SPDX-License-Identifier: Apache-2.0

#include "machine/machine.hpp"
#include "machine/machine_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "described.hpp"
#include "machine/discover.hpp"
#include "platform/affinity.hpp"

namespace weir::machine {
namespace {

using testing::ElementsAre;

Machine captured(const std::string& name) { return described(WEIR_MACHINES + name); }

std::vector<std::string> kinds(const Machine& m) {
  std::vector<std::string> list;
  for (const MemoryNode& node : m.memory_nodes()) list.push_back(to_string(node.kind));
  return list;
}
std::vector<std::string> names(const Machine& m, const std::vector<MemoryNodeId>& ids) {
  std::vector<std::string> list;
  for (const MemoryNodeId id : ids) list.push_back(m.memory_node(id).name);
  return list;
}
std::string fast_name(const Machine& m, int domain) {
  const auto fast = m.fast_node(DomainId(domain));
  return fast ? m.memory_node(*fast).name : "none";
}

TEST(KnlSnc4Flat, HasFourDomainsEachWithHbmBesideIt) {
  const Machine m = described("pack:1 group:4 [numa(memory=24GB)] [numa(memory=4GB)] l2:8 core:2 pu:4");
  ASSERT_EQ(m.domains().size(), 4u);
  EXPECT_EQ(m.core_count(), 64);
  EXPECT_THAT(kinds(m), ElementsAre("ddr", "hbm", "ddr", "hbm", "ddr", "hbm", "ddr", "hbm"));
  for (int d = 0; d < 4; ++d) EXPECT_EQ(fast_name(m, d), "hbm" + std::to_string(d));
  EXPECT_THAT(names(m, m.domains()[2].local_nodes), ElementsAre("ddr2", "hbm2"));
  EXPECT_EQ(m.domains()[0].cores[0].os_cpus, (std::vector{0, 1, 2, 3}));
}

TEST(KnlSnc4Flat, AsAKernelShowsItHasTheSameShape) {
  const Machine m = captured("knl_snc4_flat.xml");
  ASSERT_EQ(m.domains().size(), 4u);
  EXPECT_THAT(kinds(m), ElementsAre("ddr", "hbm", "ddr", "hbm", "ddr", "hbm", "ddr", "hbm"));
  for (int d = 0; d < 4; ++d) {
    ASSERT_EQ(fast_name(m, d), "hbm" + std::to_string(d));
    EXPECT_EQ(m.memory_node(*m.fast_node(DomainId(d))).os_index, d + 4);
    const std::vector<std::string> tiers = names(m, m.tiers(DomainId(d)));
    EXPECT_EQ(tiers.front(), "hbm" + std::to_string(d));
    EXPECT_EQ(tiers[4], "ddr" + std::to_string(d)) << "the HBM of other clusters is faster";
  }
}

TEST(KnlSnc4Flat, ShowsWhatFirmwareClaims) {
  const Machine m = captured("knl_snc4_flat.xml");
  const MemoryNode& hbm = m.memory_node(*m.fast_node(DomainId(0)));
  EXPECT_NEAR(hbm.claimed[0].read_gb_per_s, 96.6, 0.1);
  EXPECT_EQ(hbm.claimed[0].latency_ns, 155);
  EXPECT_EQ(hbm.claimed[1].read_gb_per_s, 0) << "Linux shows figures for local memory only";
  EXPECT_EQ(hbm.measured[0].read_gb_per_s, 0);
}

// Its table has 31 for HBM at its own cluster and 41 elsewhere, 10 and 21 for the ordinary memory.
TEST(KnlSnc4Flat, MemoryElsewhereIsAsFarAsItsOwnLocalDistanceSays) {
  const Machine m = captured("knl_snc4_flat.xml");
  const auto distance = [&](const char* name) {
    const auto& nodes = m.memory_nodes();
    const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const MemoryNode& one) { return one.name == name; });
    return m.data().node_distance[0][static_cast<std::size_t>(node - nodes.begin())];
  };
  EXPECT_EQ(distance("hbm0"), 1);
  EXPECT_NEAR(distance("hbm1"), 41.0 / 31, 1e-9);
  EXPECT_NEAR(distance("ddr1"), 2.1, 1e-9);
}

TEST(KnlQuadFlat, IsOneDomainWithOneHbmNode) {
  const Machine m = described("pack:1 [numa(memory=96GB)] [numa(memory=16GB)] l2:32 core:2 pu:4");
  ASSERT_EQ(m.domains().size(), 1u);
  EXPECT_THAT(kinds(m), ElementsAre("ddr", "hbm"));
  EXPECT_THAT(names(m, m.tiers(DomainId(0))), ElementsAre("hbm0", "ddr0"));
}

class XeonMax : public testing::TestWithParam<const char*> {};

TEST_P(XeonMax, HasHbmBesideEachOfItsEightDomains) {
  const Machine m = described(GetParam());
  ASSERT_EQ(m.domains().size(), 8u);
  for (int d = 0; d < 8; ++d) {
    EXPECT_EQ(fast_name(m, d), "hbm" + std::to_string(d));
    EXPECT_EQ(m.domains()[std::size_t(d)].package, d / 4);
  }
}

TEST_P(XeonMax, PrefersOwnOrdinaryMemoryToHbmOfTheOtherSocket) {
  const Machine m = described(GetParam());
  EXPECT_THAT(names(m, m.tiers(DomainId(5))),
              ElementsAre("hbm5", "hbm4", "hbm6", "hbm7", "ddr5", "hbm0", "hbm1", "hbm2", "hbm3", "ddr4", "ddr6",
                          "ddr7", "ddr0", "ddr1", "ddr2", "ddr3"));
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutFirmwaresNumbers, XeonMax,
                         testing::Values("pack:2 group:4 [numa(memory=32GB)] [numa(memory=16GB)] l2:14 core:1 pu:2",
                                         WEIR_MACHINES "xeon_max_snc4_flat.xml"));

class TwoSocketsWithCxl : public testing::TestWithParam<std::string> {};

TEST_P(TwoSocketsWithCxl, RanksTheExpanderLastForBoth) {
  const Machine m = described(GetParam());
  ASSERT_EQ(m.domains().size(), 2u);
  EXPECT_THAT(kinds(m), ElementsAre("ddr", "ddr", "cxl"));
  EXPECT_FALSE(m.memory_nodes()[2].has_cores);
  EXPECT_THAT(names(m, m.tiers(DomainId(0))), ElementsAre("ddr0", "ddr1", "cxl0"));
  EXPECT_THAT(names(m, m.tiers(DomainId(1))), ElementsAre("ddr1", "ddr0", "cxl0"));
  EXPECT_THAT(names(m, m.domains()[1].local_nodes), ElementsAre("ddr1", "cxl0"));
  EXPECT_EQ(fast_name(m, 0), "none");
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutFirmwaresNumbers, TwoSocketsWithCxl,
                         testing::Values("[numa(memory=256GB)] pack:2 [numa(memory=512GB)] l3:1 l2:56 core:1 pu:2",
                                         "[numa(memory=2TB)] pack:2 [numa(memory=512GB)] l3:1 l2:56 core:1 pu:2",
                                         WEIR_MACHINES "two_sockets_cxl.xml"));

TEST(Optane, IsPersistentMemoryBesideEachSocket) {
  EXPECT_THAT(kinds(captured("optane.xml")), ElementsAre("ddr", "nvm", "ddr", "nvm"));
}

TEST(GraceHopper, TheGpusMemoryIsADeviceWhenTheKernelSaysSo) {
  const Machine m = captured("grace_hopper.xml");
  EXPECT_THAT(kinds(m), ElementsAre("ddr", "device"));
  EXPECT_THAT(names(m, m.tiers(DomainId(0))), ElementsAre("ddr0", "device0"));
}

TEST(CxlLargerThanTheMemoryBesideIt, IsCxlWhenTheKernelSaysSo) {
  const Machine m = captured("cxl_larger.xml");
  EXPECT_THAT(kinds(m), ElementsAre("ddr", "cxl"));
  EXPECT_EQ(m.memory_nodes()[0].name, "ddr0");
}

TEST(GraceHopper, TheGpusMemoryIsHbmWhenOnlyItsPlaceAndSizeAreKnown) {
  const Machine m = described("pack:1 [numa(memory=480GB)] [numa(memory=96GB)] l3:1 core:72 pu:1");
  EXPECT_THAT(kinds(m), ElementsAre("ddr", "hbm"));
}

TEST(HbmWithCores, IsRecognisedByTheSlowerMemoryBesideIt) {
  const Machine m = captured("hbm_with_cores.xml");
  EXPECT_THAT(kinds(m), ElementsAre("hbm", "ddr"));
  EXPECT_EQ(fast_name(m, 0), "hbm0");
}

TEST(Described, KindsDoNotDependOnNodeNumbers) {
  const Machine m = described("pack:1 group:2 [numa(memory=24GB indexes=7,0,3,5)] [numa(memory=4GB)] core:2 pu:1");
  for (int d = 0; d < 2; ++d) EXPECT_EQ(fast_name(m, d), "hbm" + std::to_string(d));
  EXPECT_EQ(m.domains()[0].os_node, 7);
}

TEST(Described, OneNumaNodeIsOneDomain) {
  const Machine m = described("pack:1 l3:1 core:4 pu:2");
  ASSERT_EQ(m.domains().size(), 1u);
  EXPECT_EQ(m.core_count(), 4);
  EXPECT_EQ(m.memory_nodes().size(), 1u);
  EXPECT_EQ(m.distance(DomainId(0), DomainId(0)), 1.0);
}

TEST(Described, DistanceGrowsWithThePlaceInTheTopology) {
  const Machine m = described("pack:2 numa:2 core:2 pu:1");
  EXPECT_LT(m.distance(DomainId(0), DomainId(0)), m.distance(DomainId(0), DomainId(1)));
  EXPECT_LT(m.distance(DomainId(0), DomainId(1)), m.distance(DomainId(0), DomainId(2)));
}

TEST(Described, DistancesOfTheFirmwareAreUsedWhereThereAreAny) {
  const Machine m = captured("numa2.xml");
  EXPECT_NEAR(m.distance(DomainId(0), DomainId(1)), 2.1, 1e-9);
}

TEST(Described, IdsAreIndices) {
  const Machine m = captured("xeon_max_snc4_flat.xml");
  for (std::size_t i = 0; i < m.domains().size(); ++i) EXPECT_EQ(m.domains()[i].id, DomainId(i));
  for (std::size_t i = 0; i < m.memory_nodes().size(); ++i) EXPECT_EQ(m.memory_nodes()[i].id, MemoryNodeId(i));
}

TEST(Described, CachesAreAddedUp) {
  const Machine m = captured("two_sockets_cxl.xml");
  EXPECT_EQ(m.last_level_cache().count, 96'000'000u);
  EXPECT_EQ(m.all_last_level_caches().count, 192'000'000u);
}

TEST(Described, MeasuredCostsReorderTheTiers) {
  const Machine m = described("pack:1 [numa(memory=96GB)] [numa(memory=16GB)] core:4 pu:1");
  const Machine measured = m.with_measured({{{100, 90, 90}}, {{50, 45, 200}}});
  EXPECT_THAT(names(measured, measured.tiers(DomainId(0))), ElementsAre("ddr0", "hbm0"));
  EXPECT_EQ(measured.memory_nodes()[0].measured[0].latency_ns, 90);
  EXPECT_THAT(names(m, m.tiers(DomainId(0))), ElementsAre("hbm0", "ddr0"))
      << "the machine it was made from is unchanged";
}

std::set<int> cpus_of(const Machine& m) {
  std::set<int> cpus;
  for (const Domain& domain : m.domains()) {
    for (const Core& core : domain.cores) cpus.insert(core.os_cpus.begin(), core.os_cpus.end());
  }
  return cpus;
}

TEST(ThisSystem, HasExactlyTheCpusOfTheMask) {
  const auto m = Machine::discover();
  ASSERT_TRUE(m) << m.status().message;
  EXPECT_TRUE(m->is_this_system());
  const std::vector<int> mask = platform::this_thread_cpus();
  EXPECT_EQ(cpus_of(*m), std::set<int>(mask.begin(), mask.end()));
  EXPECT_GE(m->default_worker_count(), 1);
  EXPECT_LE(m->default_worker_count(), m->core_count());
}

TEST(ThisSystem, ANarrowerMaskShowsFewerCores) {
  const int cpu = platform::this_thread_cpus().front();
  std::thread([cpu] {
    ASSERT_TRUE(platform::bind_this_thread(std::vector{cpu}));
    EXPECT_EQ(cpus_of(Machine::discover().value()), std::set{cpu});
  }).join();
}

TEST(ThisSystem, AThreadThatWeBoundStillSeesAll) {
  const Machine before = Machine::discover().value();
  platform::ScopedBinding binding;
  ASSERT_TRUE(binding.bind(before.domains()[0].cores[0].os_cpus));
  EXPECT_EQ(Machine::discover().value().core_count(), before.core_count());
}

TEST(ThisSystem, ForAllThreadsItIsTheSameHoweverTheOneThatAsksIsBound) {
  const std::vector<int> mask = platform::this_thread_cpus();
  std::set<int> seen;
  std::thread([&] {
    ASSERT_TRUE(platform::bind_this_thread(std::vector{mask.front()}));
    seen = cpus_of(discover_for_all_threads().value());
  }).join();
  for (const int cpu : mask) EXPECT_TRUE(seen.contains(cpu)) << "CPU " << cpu;
  EXPECT_EQ(cpus_of(discover_for_all_threads().value()), seen);
}

TEST(ThisSystem, IsReadOnceForEachMask) {
  const Machine first = Machine::discover().value(), second = Machine::discover().value();
  EXPECT_EQ(&first.domains(), &second.domains());
}

TEST(ThisSystem, MayBeDiscoveredByManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([] { EXPECT_GT(Machine::discover().value().core_count(), 0); });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Machine, HasAsManyWorkersByDefaultAsARuntimeTakesHoweverManyCores) {
  const auto m = Machine::from_description("numa:2 core:600 pu:1");
  ASSERT_TRUE(m);
  EXPECT_EQ(m->core_count(), 1200);
  EXPECT_EQ(m->default_worker_count(), 1024);
}

}  // namespace
}  // namespace weir::machine
