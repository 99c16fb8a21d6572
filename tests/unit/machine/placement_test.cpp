// SPDX-License-Identifier: Apache-2.0

#include "machine/placement.hpp"

#include <gtest/gtest.h>

#include <set>

namespace weir::machine {
namespace {

// The first CPU of each thread.
std::vector<int> firsts(const Machine& m, Placement placement, int count, const std::vector<DomainId>& domains = {}) {
  std::vector<int> cpus;
  for (const auto& thread : place_threads(m, domains, placement, count)) cpus.push_back(thread.front());
  return cpus;
}

// A Xeon Phi 7290 in SNC-4, the first hardware thread of core c being CPU 4c.
Machine knl() { return Machine::from_description("numa:4(memory=24GB) l2:9(size=1MB) core:2 pu:4").value(); }
// Two sockets of a Xeon Max 9480 in SNC-4: each core has a second-level cache of its own.
Machine xeon_max() {
  return Machine::from_description("pack:2 numa:4(memory=32GB) l2:14(size=2MB) core:1 pu:1").value();
}

TEST(Placement, CompactFillsBothCoresOfATileBeforeTheNext) {
  EXPECT_EQ(firsts(knl(), Placement::compact, 4), (std::vector{0, 4, 8, 12}));
}

TEST(Placement, TileTakesEverySecondCoreFirstAndTheOthersAfterAllTiles) {
  const std::vector<int> cpus = firsts(knl(), Placement::tile, 0);
  ASSERT_EQ(cpus.size(), 72u);
  for (int i = 0; i < 36; ++i) {
    EXPECT_EQ(cpus[std::size_t(i)], 8 * i);
    EXPECT_EQ(cpus[std::size_t(36 + i)], 8 * i + 4);
  }
  EXPECT_EQ(tile_count(knl(), {}), 36);
}

TEST(Placement, ScatterGoesRoundTheDomainsAndRoundTheTilesOfEach) {
  // A domain of this machine has 18 cores, 72 CPUs.
  EXPECT_EQ(firsts(knl(), Placement::scatter, 6), (std::vector{0, 72, 144, 216, 8, 80}));
}

TEST(Placement, ScatterChangesThePackageBeforeTheDomainWithinIt) {
  // Domains of 14 CPUs each, four to a package.
  EXPECT_EQ(firsts(xeon_max(), Placement::scatter, 9), (std::vector{0, 56, 14, 70, 28, 84, 42, 98, 1}));
}

TEST(Placement, WhereEachCoreHasItsOwnCacheTileIsCompact) {
  EXPECT_EQ(firsts(xeon_max(), Placement::tile, 0), firsts(xeon_max(), Placement::compact, 0));
  EXPECT_EQ(tile_count(xeon_max(), {}), 112);
}

TEST(Placement, CoresWithoutAKnownCacheAreTilesOfTheirOwn) {
  const Machine m = Machine::from_description("numa:1(memory=1GB) core:4 pu:1").value();
  EXPECT_EQ(tile_count(m, {}), 4);
  EXPECT_EQ(firsts(m, Placement::tile, 0), (std::vector{0, 1, 2, 3}));
}

TEST(Placement, SomeDomainsOnlyAndMoreThreadsThanCores) {
  const std::vector<DomainId> second = {DomainId(1)};
  EXPECT_EQ(tile_count(knl(), second), 9);
  const std::vector<int> cpus = firsts(knl(), Placement::tile, 20, second);
  EXPECT_EQ(cpus[0], 72);
  EXPECT_EQ(cpus[9], 76);
  EXPECT_EQ(cpus[18], 72);  // the nineteenth shares the first core
}

TEST(Placement, EveryOrderGivesEveryCoreOnce) {
  for (const Machine& m : {knl(), xeon_max()}) {
    for (const Placement placement : {Placement::compact, Placement::scatter, Placement::tile}) {
      const std::vector<int> cpus = firsts(m, placement, 0);
      EXPECT_EQ(std::set<int>(cpus.begin(), cpus.end()).size(), std::size_t(m.core_count())) << to_string(placement);
    }
  }
}

}  // namespace
}  // namespace weir::machine
