// SPDX-License-Identifier: Apache-2.0

#include "memory/policy/place.hpp"

#include <gtest/gtest.h>

#include "machines.hpp"
#include "memory/tier_set.hpp"

namespace weir::memory {
namespace {

using policy::ArenaState;
using policy::Placement;

constexpr Allocation kModes[] = {Allocation::default_, Allocation::fast, Allocation::local, Allocation::local_fast};

// The tiers of a described machine with room for everything; no memory is touched.
class Tiers {
 public:
  explicit Tiers(const machine::Machine& machine, std::string_view spec = "") : machine_(machine) {
    auto tiers = TierSet::open(machine, *parse_tiers(spec), {.state = system_with(16 * kTiB)});
    EXPECT_TRUE(tiers) << tiers.status().message;
    tiers_ = std::move(*tiers);
  }

  std::string place(Allocation mode, int domain) {
    const Arena* arena = tiers_->arena_for(mode, DomainId(domain), {4096});
    return arena == nullptr ? "anywhere" : arena->name();
  }
  // Of all four modes, in their order.
  std::vector<std::string> places(int domain) {
    std::vector<std::string> all;
    for (const Allocation mode : kModes) all.push_back(place(mode, domain));
    return all;
  }
  std::uint64_t fallbacks() const { return tiers_->fallbacks(); }
  TierSet& operator*() { return *tiers_; }

 private:
  machine::Machine machine_;
  std::unique_ptr<TierSet> tiers_;
};

using Names = std::vector<std::string>;

TEST(Place, OnKnlInSnc4FlatModeEachDomainHasItsOwnFastMemory) {
  Tiers tiers(knl_snc4_flat());
  for (int d = 0; d < 4; ++d) {
    const std::string n = std::to_string(d);
    EXPECT_EQ(tiers.places(d), (Names{"anywhere", "hbm" + n, "ddr" + n, "hbm" + n}));
  }
  EXPECT_EQ(tiers.fallbacks(), 0u);
}

TEST(Place, OnKnlAsAKernelShowsItTheAdjacentNodeIsFoundByLocalityNotByNumber) {
  Tiers tiers(captured("knl_snc4_flat.xml"));
  for (int d = 0; d < 4; ++d) EXPECT_EQ(tiers.place(Allocation::local_fast, d), "hbm" + std::to_string(d));
}

TEST(Place, OnXeonMaxEightDomainsHaveTheirOwnFastMemory) {
  Tiers tiers(captured("xeon_max_snc4_flat.xml"));
  for (int d = 0; d < 8; ++d) {
    const std::string n = std::to_string(d);
    EXPECT_EQ(tiers.places(d), (Names{"anywhere", "hbm" + n, "ddr" + n, "hbm" + n}));
  }
}

TEST(Place, OnTwoSocketsWithCxlOrdinaryMemoryIsTheFastTier) {
  Tiers tiers(captured("two_sockets_cxl.xml"));
  EXPECT_EQ(tiers.places(0), (Names{"anywhere", "ddr0", "ddr0", "ddr0"}));
  EXPECT_EQ(tiers.places(1), (Names{"anywhere", "ddr1", "ddr1", "ddr1"}));
  EXPECT_EQ(tiers.fallbacks(), 0u);
}

TEST(Place, OnGraceHopperADevicesMemoryIsUsedWhenItIsNamed) {
  const auto m = captured("grace_hopper.xml");
  Tiers own(m);
  EXPECT_EQ(own.place(Allocation::fast, 0), "ddr0");
  Tiers named(m, "device,ddr");
  EXPECT_EQ(named.places(0), (Names{"anywhere", "device0", "ddr0", "device0"}));
}

TEST(Place, FastTakesTheNodeWithMostOfItsBudgetLeft) {
  const ArenaState arenas[] = {
      {.tier = 0, .adjacent = true, .rank = 0, .free_bytes = 10},
      {.tier = 0, .rank = 1, .free_bytes = 30},
      {.tier = 0, .rank = 2, .free_bytes = 30},
      {.tier = 1, .ordinary = true, .adjacent = true, .rank = 3, .free_bytes = 1000},
  };
  EXPECT_EQ(policy::place(Allocation::fast, arenas), (Placement{1, false}));
}

TEST(Place, LocalFastFallsBackToTheDomainsOrdinaryMemoryAndSaysSo) {
  const ArenaState arenas[] = {
      {.tier = 0, .rank = 0, .free_bytes = 100},
      {.tier = 1, .ordinary = true, .rank = 1, .free_bytes = 100},
      {.tier = 1, .ordinary = true, .adjacent = true, .rank = 2, .free_bytes = 1},
  };
  EXPECT_EQ(policy::place(Allocation::local_fast, arenas), (Placement{2, true}));
}

TEST(Place, LocalTakesTheNearestOrdinaryMemoryWhereTheDomainHasNone) {
  const ArenaState arenas[] = {
      {.tier = 0, .adjacent = true, .rank = 0},
      {.tier = 1, .ordinary = true, .rank = 2, .free_bytes = 100},
      {.tier = 1, .ordinary = true, .rank = 1, .free_bytes = 1},
  };
  EXPECT_EQ(policy::place(Allocation::local, arenas), (Placement{2, false}));
}

TEST(Place, WithoutOrdinaryMemoryLocalTakesTheNearestAndSaysSo) {
  const ArenaState arenas[] = {{.tier = 0, .rank = 1}, {.tier = 0, .adjacent = true, .rank = 0}};
  EXPECT_EQ(policy::place(Allocation::local, arenas), (Placement{1, true}));
}

TEST(Place, AFullNodeIsStillTheNodeThatIsMeant) {
  const ArenaState arenas[] = {{.tier = 0, .adjacent = true, .rank = 0, .free_bytes = 0},
                               {.tier = 1, .ordinary = true, .adjacent = true, .rank = 1, .free_bytes = 100}};
  EXPECT_EQ(policy::place(Allocation::local_fast, arenas), (Placement{0, false}));
}

TEST(Place, FastSpreadsBlocksOverTheNodesOfTheTier) {
  Tiers tiers(knl_snc4_flat(), "hbm=8MiB,ddr=8MiB");
  Names names;
  for (int i = 0; i < 5; ++i) {
    Arena* arena = (*tiers).arena_for(Allocation::fast, DomainId(2), {kMiB});
    ASSERT_NE(arena->allocate(kMiB), Arena::kNowhere);
    names.push_back(arena->name());
  }
  EXPECT_EQ(names, (Names{"hbm2", "hbm0", "hbm1", "hbm3", "hbm2"}));
}

}  // namespace
}  // namespace weir::memory
