// SPDX-License-Identifier: Apache-2.0

// Where the pages of arenas, of allocators and of hbw_malloc() are, by the kernel's word, page by page; also when the
// fast memory is full. A test that is killed here has met the kernel's out-of-memory killer: that is the failure.
#include <gtest/gtest.h>
#include <hbwmalloc.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "alloc/hbw.hpp"
#include "alloc/tier_heap.hpp"
#include "guest_main.hpp"
#include "guest_memory.hpp"
#include "machine/machine.hpp"
#include "memory/tier_set.hpp"
#include "platform/affinity.hpp"
#include "weir/tier.hpp"

namespace weir::guest {
namespace {

using machine::Machine;
using memory::Arena;
using memory::Tier;
using memory::TierSet;

using Nodes = std::set<int>;

class GuestTiers : public testing::Test {
 protected:
  static bool has_hbm() { return !layout->hbm_of_domain.empty(); }
  Nodes hbm() const { return {layout->hbm_of_domain.begin(), layout->hbm_of_domain.end()}; }
  Nodes ordinary() const { return {layout->domains.begin(), layout->domains.end()}; }
  // The fast memory of a domain: ordinary memory, where there is no other.
  int fast_node(std::size_t domain) const {
    return has_hbm() ? layout->hbm_of_domain[domain] : layout->domains[domain];
  }

  base::Result<std::unique_ptr<TierSet>> try_open(std::string_view spec) {
    return TierSet::open(machine_, *memory::parse_tiers(spec));
  }
  std::unique_ptr<TierSet> opened(std::string_view spec) {
    auto tiers = try_open(spec);
    EXPECT_TRUE(tiers) << tiers.status().message;
    return std::move(*tiers);
  }
  std::unique_ptr<TierSet> small_tiers() { return opened(has_hbm() ? "hbm=64MiB,ddr=64MiB" : "ddr=64MiB"); }

  // Allocates until there is no more; the kernel must find every page of it on these nodes.
  template <class Allocate>
  std::vector<void*> fill(Allocate allocate, std::size_t bytes, const Nodes& nodes) {
    std::vector<void*> taken;
    for (void* data = allocate(bytes); data != nullptr; data = allocate(bytes)) {
      std::memset(data, 1, bytes);
      taken.push_back(data);
    }
    for (void* data : taken) EXPECT_TRUE(subset(nodes_under(data, bytes), nodes));
    return taken;
  }
  static bool subset(const Nodes& part, const Nodes& whole) {
    return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
  }

  Machine machine_ = Machine::discover().value();
};

// ---- Arenas and tiers ----

TEST_F(GuestTiers, EveryPageOfAnArenaIsOnItsNode) {
  const auto tiers = small_tiers();
  for (Arena* arena : tiers->arenas()) {
    ASSERT_EQ(arena->os_nodes().size(), 1u);
    const Nodes own = {arena->os_nodes()[0]};
    const auto taken = fill([&](std::size_t bytes) { return arena->address(arena->allocate(bytes)); }, kMiB, own);
    EXPECT_EQ(taken.size(), arena->budget() / kMiB) << arena->name();
    EXPECT_TRUE(arena->failure()) << arena->failure().message;
    EXPECT_EQ(arena->obtained_share(), 1.0);
  }
}

TEST_F(GuestTiers, EachAllocationModePutsABlockWhereItSays) {
  const auto tiers = small_tiers();
  const auto node_of = [&](Allocation mode, std::size_t domain) {
    Arena* const arena = tiers->arena_for(mode, DomainId(domain), {kMiB});
    void* const data = arena->address(arena->allocate(kMiB));
    return nodes_under(data, kMiB);
  };
  for (std::size_t d = 0; d < layout->domains.size(); ++d) {
    EXPECT_EQ(tiers->arena_for(Allocation::default_, DomainId(d), {kMiB}), nullptr);
    EXPECT_TRUE(subset(node_of(Allocation::fast, d), has_hbm() ? hbm() : ordinary()));
    EXPECT_EQ(node_of(Allocation::local, d), (Nodes{layout->domains[d]}));
    EXPECT_EQ(node_of(Allocation::local_fast, d), (Nodes{fast_node(d)}));
  }
  EXPECT_EQ(tiers->fallbacks(), 0u);
}

TEST_F(GuestTiers, WithoutASpecEveryTierHasWhatIsFreeLessAReserve) {
  const auto tiers = opened("");
  ASSERT_EQ(tiers->tiers().size(), has_hbm() ? 2u : 1u);
  EXPECT_EQ(tiers->fastest().name, has_hbm() ? "hbm" : "ddr");
  for (Arena* arena : tiers->arenas()) {
    EXPECT_LT(arena->budget(), free_on_node(arena->os_nodes()[0]) + 64 * kMiB) << arena->name();
    EXPECT_GT(arena->budget(), 32 * kMiB) << arena->name();
  }
}

TEST_F(GuestTiers, TheWholeFastTierCanBeHad) {
  const auto tiers = opened("");
  for (Arena* arena : tiers->fastest().arenas) {
    EXPECT_TRUE(arena->populate({arena->budget()})) << arena->failure().message;
    EXPECT_EQ(arena->obtained_share(), 1.0) << arena->name();
    void* const data = arena->address(arena->allocate(arena->budget()));
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(nodes_under(data, arena->budget()), (Nodes{arena->os_nodes()[0]}));
  }
}

TEST_F(GuestTiers, AFullNodeIsAnErrorThatNamesTierAskedAndAvailable) {
  const FullNode full(fast_node(0), 16 * kMiB);
  const std::string tier = has_hbm() ? "hbm" : "ddr";
  const auto tiers = try_open(tier + "=2GiB");
  ASSERT_FALSE(tiers);
  EXPECT_EQ(tiers.status().code, base::Code::no_space);
  EXPECT_EQ(tiers.status().message.find("tier " + tier + ": asked for 2 GiB, available are "), 0u)
      << tiers.status().message;
}

TEST_F(GuestTiers, ANodeThatOthersFillLaterIsAFailureOfTheAllocationAndNotTheEnd) {
  const auto tiers = small_tiers();
  Arena& arena = *tiers->fastest().arenas[0];
  const int node = arena.os_nodes()[0];
  const FullNode full(node, 6 * kMiB);
  const auto taken = fill([&](std::size_t bytes) { return arena.address(arena.allocate(bytes)); }, 256 * kKiB, {node});
  EXPECT_LT(taken.size() * 256 * kKiB, 32 * kMiB);
  EXPECT_EQ(arena.failure().code, base::Code::no_space);
  EXPECT_NE(arena.failure().message.find("NUMA node " + std::to_string(node)), std::string::npos)
      << arena.failure().message;
  EXPECT_EQ(arena.budget(), arena.populated());
  EXPECT_EQ(arena.obtained_share(), 1.0);
}

TEST_F(GuestTiers, WithPreferAFullNodeIsAWarningThatIsCountedAndTheShareIsTheKernels) {
  const auto tiers = opened(has_hbm() ? "prefer,hbm=64MiB" : "prefer,ddr=64MiB");
  Arena& arena = *tiers->fastest().arenas[0];
  const int node = arena.os_nodes()[0];
  const FullNode full(node, 6 * kMiB);
  void* const data = arena.address(arena.allocate(arena.budget()));
  ASSERT_NE(data, nullptr) << arena.failure().message;
  EXPECT_GT(arena.warnings(), 0u);
  const std::vector<int> nodes = nodes_of_pages(data, arena.budget());
  const double share = double(std::count(nodes.begin(), nodes.end(), node)) / double(nodes.size());
  EXPECT_LT(share, 1.0);
  EXPECT_NEAR(arena.obtained_share().value(), share, 1e-9);
  EXPECT_EQ(tiers->report()[0].warnings, arena.warnings());
}

TEST_F(GuestTiers, UnderAMemoryCgroupAnArenaStopsBeforeTheLimit) {
  const MemoryCgroup cgroup(96 * kMiB);
  if (!cgroup.in_force()) GTEST_SKIP() << "no memory cgroups in this guest";
  EXPECT_FALSE(try_open("ddr=128MiB"));
  const auto tiers = opened("prefer,ddr=128MiB");
  std::size_t got = 0;
  for (Arena* arena : tiers->arenas()) {
    while (arena->allocate(kMiB) != Arena::kNowhere) got += kMiB;
  }
  EXPECT_GT(got, 32 * kMiB);
  EXPECT_LT(cgroup.used(), 96 * kMiB);
  EXPECT_EQ(cgroup.kills(), 0u);
}

// ---- Memory for code that is not tasks ----

class GuestHbw : public GuestTiers {
 protected:
  void SetUp() override {
    if (!has_hbm()) GTEST_SKIP() << "no HBM in this guest";
  }
  std::unique_ptr<alloc::TierHeap> heap() {
    return std::make_unique<alloc::TierHeap>(machine_, memory::TierKind::hbm, memory::MemoryState::of_this_system());
  }
  // Runs on the cores of a domain.
  template <class Body>
  void on_domain(std::size_t domain, Body body) {
    platform::ScopedBinding binding;
    ASSERT_TRUE(binding.bind(machine_.domains()[domain].cores[0].os_cpus));
    body();
  }
};

TEST_F(GuestHbw, BindGivesTheNearestNodeToTheLastPageAndThenNothing) {
  const auto heap = this->heap();
  alloc::Hbw hbw(*heap);
  ASSERT_EQ(hbw.set_policy(HBW_POLICY_BIND), 0);
  for (std::size_t d = 0; d < layout->domains.size(); ++d) {
    on_domain(d, [&] {
      const Nodes own = {layout->hbm_of_domain[d]};
      const auto taken = fill([&](std::size_t bytes) { return hbw.allocate(bytes); }, kMiB, own);
      EXPECT_GT(taken.size(), 64u) << "domain " << d;
      EXPECT_EQ(hbw.verify(taken[0], kMiB, 0), 0);
      errno = 0;
      EXPECT_EQ(hbw.allocate(64 * kMiB), nullptr);
      EXPECT_EQ(errno, ENOMEM);
    });
  }
}

TEST_F(GuestHbw, BindAllGivesAllHbmAndThenNothing) {
  const auto heap = this->heap();
  alloc::Hbw hbw(*heap);
  ASSERT_EQ(hbw.set_policy(HBW_POLICY_BIND_ALL), 0);
  const auto taken = fill([&](std::size_t bytes) { return hbw.allocate(bytes); }, kMiB, hbm());
  EXPECT_GT(taken.size(), 64u * hbm().size());
}

TEST_F(GuestHbw, PreferredGoesOnInOrdinaryMemory) {
  const auto heap = this->heap();
  alloc::Hbw hbw(*heap);
  const std::size_t capacity = heap->use().budget;
  std::size_t in_hbm = 0, elsewhere = 0;
  std::vector<void*> taken;
  on_domain(0, [&] {
    for (std::size_t got = 0; got < capacity + 16 * kMiB; got += kMiB) {
      void* const data = hbw.allocate(kMiB);
      ASSERT_NE(data, nullptr);
      std::memset(data, 1, kMiB);
      taken.push_back(data);
      const bool fast = subset(nodes_under(data, kMiB), hbm());
      EXPECT_EQ(hbw.verify(data, kMiB, 0), fast ? 0 : -1);
      ++(fast ? in_hbm : elsewhere);
    }
  });
  EXPECT_GT(in_hbm, 64u);
  EXPECT_GT(elsewhere, 15u);
  EXPECT_EQ(heap->use().fallbacks, elsewhere);
  for (void* data : taken) hbw.free(data);
}

TEST_F(GuestHbw, InterleaveSpreadsPagesOverAllHbmNodes) {
  const auto heap = this->heap();
  alloc::Hbw hbw(*heap);
  ASSERT_EQ(hbw.set_policy(HBW_POLICY_INTERLEAVE), 0);
  void* const data = hbw.allocate(32 * kMiB);
  ASSERT_NE(data, nullptr);
  std::map<int, std::size_t> pages;
  for (const int node : nodes_of_pages(data, 32 * kMiB)) ++pages[node];
  EXPECT_EQ(pages.size(), hbm().size());
  for (const auto& [node, count] : pages) {
    EXPECT_EQ(hbm().count(node), 1u);
    EXPECT_NEAR(double(count), 32 * kMiB / 4096.0 / double(hbm().size()), 2);
  }
}

TEST_F(GuestHbw, AFullHbmIsNoticedByEveryPolicy) {
  std::vector<std::unique_ptr<FullNode>> full;
  for (const int node : layout->hbm_of_domain) full.push_back(std::make_unique<FullNode>(node, 6 * kMiB));
  for (const int policy : {HBW_POLICY_BIND, HBW_POLICY_BIND_ALL, HBW_POLICY_INTERLEAVE}) {
    const auto heap = this->heap();
    alloc::Hbw hbw(*heap);
    ASSERT_EQ(hbw.set_policy(policy), 0);
    EXPECT_EQ(hbw.allocate(64 * kMiB), nullptr) << "policy " << policy;
    const auto taken = fill([&](std::size_t bytes) { return hbw.allocate(bytes); }, 256 * kKiB, hbm());
    EXPECT_LT(taken.size() * 256 * kKiB, 16 * kMiB * hbm().size()) << "policy " << policy;
  }
}

TEST_F(GuestHbw, TheCFunctionsGiveHbmOfTheCallingCpu) {
  // Threads that the program binds, the first one that asks among them.
  for (std::size_t d = 0; d < layout->domains.size(); ++d) {
    std::thread([&] {
      ASSERT_TRUE(platform::bind_this_thread(machine_.domains()[d].cores[0].os_cpus));
      EXPECT_EQ(hbw_check_available(), 0);
      void* const data = hbw_malloc(3 * kMiB);
      ASSERT_NE(data, nullptr);
      EXPECT_EQ(nodes_under(data, 3 * kMiB), (Nodes{layout->hbm_of_domain[d]}));
      EXPECT_EQ(hbw_verify_memory_region(data, 3 * kMiB, 0), 0);
      hbw_free(data);
    }).join();
  }
}

// In a process of its own: what the allocator's heap, which lasts as long as its process, has got stays with it.
TEST_F(GuestHbw, ContainersAreInTheTierOfTheirAllocatorAndThrowWhenItIsFull) {
  struct Page {
    char bytes[4096];
  };
  using Pages = std::vector<Page, TierAllocator<Page>>;
  constexpr std::size_t kPages = 4 * kMiB / sizeof(Page);
  const auto is_there = [this](const Pages& pages) {
    return subset(nodes_under(pages.data(), pages.size() * sizeof(Page)), hbm());
  };
  const auto fill_it = [&] {
    const TierAllocator<Page> strict("hbm");
    const Pages some(kPages, Page{{1}}, strict);
    EXPECT_TRUE(is_there(some));
    std::vector<Pages> all;
    EXPECT_THROW(
        for (;;) { all.emplace_back(kPages, Page{{1}}, strict); }, std::bad_alloc);
    EXPECT_TRUE(std::all_of(all.begin(), all.end(), is_there));
    EXPECT_GT(all.size(), 16u * hbm().size());
    EXPECT_EQ(tier_use("hbm").obtained_share, 1.0);
    std::_Exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(fill_it(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace weir::guest
