// SPDX-License-Identifier: Apache-2.0

// What Machine finds in a guest, against what the kernel says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "guest_main.hpp"
#include "kernel_view.hpp"
#include "machine/machine.hpp"
#include "platform/affinity.hpp"
#include "platform/pages.hpp"

namespace weir::guest {
namespace {

using machine::Domain;
using machine::Machine;
using machine::MemoryKind;
using machine::MemoryNode;

class GuestMachine : public testing::Test {
 protected:
  Machine m = Machine::discover().value();
};

TEST_F(GuestMachine, HasOneDomainForEachNodeWithCores) {
  ASSERT_EQ(m.domains().size(), layout->domains.size());
  for (std::size_t i = 0; i < m.domains().size(); ++i) EXPECT_EQ(m.domains()[i].os_node, layout->domains[i]);
}

TEST_F(GuestMachine, DomainsHaveTheCoresThatTheKernelGivesTheirNode) {
  for (const Domain& domain : m.domains()) {
    std::set<int> cpus;
    for (const machine::Core& core : domain.cores) cpus.insert(core.os_cpus.begin(), core.os_cpus.end());
    EXPECT_EQ(cpus, cpus_of_node(domain.os_node)) << domain.name;
  }
}

TEST_F(GuestMachine, ShowsEveryMemoryNodeAlsoThoseWithoutCores) {
  std::set<int> found;
  for (const MemoryNode& node : m.memory_nodes()) {
    found.insert(node.os_index);
    EXPECT_EQ(node.has_cores, !cpus_of_node(node.os_index).empty()) << node.name;
    EXPECT_TRUE(node.allowed) << node.name;
  }
  EXPECT_EQ(found, online_nodes());
}

TEST_F(GuestMachine, TellsHbmFromOrdinaryMemory) {
  const auto& hbm = layout->hbm_of_domain;
  for (const MemoryNode& node : m.memory_nodes()) {
    const bool is_hbm = std::find(hbm.begin(), hbm.end(), node.os_index) != hbm.end();
    EXPECT_EQ(node.kind, is_hbm ? MemoryKind::hbm : MemoryKind::ddr) << node.name;
  }
}

TEST_F(GuestMachine, FindsTheFastNodeBesideEachDomain) {
  for (std::size_t i = 0; i < m.domains().size(); ++i) {
    const auto fast = m.fast_node(DomainId(i));
    ASSERT_EQ(fast.has_value(), !layout->hbm_of_domain.empty());
    if (fast) {
      EXPECT_EQ(m.memory_node(*fast).os_index, layout->hbm_of_domain[i]);
    }
  }
}

TEST_F(GuestMachine, RanksTheOwnFastNodeFirstThenTheOwnOrdinaryOne) {
  for (std::size_t i = 0; i < m.domains().size(); ++i) {
    const auto& tiers = m.tiers(DomainId(i));
    ASSERT_EQ(tiers.size(), m.memory_nodes().size());
    std::vector<int> first = {m.domains()[i].os_node};
    if (!layout->hbm_of_domain.empty()) first.insert(first.begin(), layout->hbm_of_domain[i]);
    for (std::size_t rank = 0; rank < first.size(); ++rank) {
      EXPECT_EQ(m.memory_node(tiers[rank]).os_index, first[rank]) << "domain " << i << " rank " << rank;
    }
  }
}

TEST_F(GuestMachine, AnotherDomainIsFartherThanTheOwn) {
  for (const Domain& from : m.domains()) {
    for (const Domain& to : m.domains()) {
      if (from.id == to.id) {
        EXPECT_EQ(m.distance(from.id, to.id), 1.0);
      } else {
        EXPECT_NEAR(m.distance(from.id, to.id), 2.1, 1e-9);
      }
    }
  }
}

TEST_F(GuestMachine, BindsAThreadToEachCoreInTurn) {
  for (const Domain& domain : m.domains()) {
    for (const machine::Core& core : domain.cores) {
      platform::ScopedBinding binding;
      ASSERT_TRUE(binding.bind(core.os_cpus));
      EXPECT_EQ(own_mask(), std::set<int>(core.os_cpus.begin(), core.os_cpus.end()));
      EXPECT_EQ(cpus_of_node(domain.os_node).count(platform::current_cpu()), 1u);
    }
  }
}

TEST_F(GuestMachine, ABoundThreadStillSeesTheWholeMachine) {
  platform::ScopedBinding binding;
  ASSERT_TRUE(binding.bind(m.domains()[0].cores[0].os_cpus));
  EXPECT_EQ(Machine::discover().value().core_count(), m.core_count());
}

TEST_F(GuestMachine, AMaskWithoutADomainsCoresLeavesTheDomainOutAndItsMemoryIn) {
  std::vector<int> last;
  for (const machine::Core& core : m.domains().back().cores) {
    last.insert(last.end(), core.os_cpus.begin(), core.os_cpus.end());
  }
  const std::vector<int> all = platform::this_thread_cpus();
  ASSERT_TRUE(platform::bind_this_thread(last));
  const Machine narrow = Machine::discover().value();
  ASSERT_TRUE(platform::bind_this_thread(all));
  ASSERT_EQ(narrow.domains().size(), 1u);
  EXPECT_EQ(narrow.domains()[0].os_node, layout->domains.back());
  EXPECT_EQ(narrow.memory_nodes().size(), m.memory_nodes().size());
  for (std::size_t i = 0; i < narrow.memory_nodes().size(); ++i) {
    EXPECT_EQ(narrow.memory_nodes()[i].kind, m.memory_nodes()[i].kind);
  }
}

TEST_F(GuestMachine, PagesAreOnTheNodeTheyWereAskedFor) {
  for (const MemoryNode& node : m.memory_nodes()) {
    const Bytes size{8u << 20};
    const auto pages = platform::Pages::map(size, node.os_index);
    ASSERT_TRUE(pages) << pages.status().message;
    std::memset(pages->data(), 1, size.count);
    EXPECT_EQ(platform::share_on_node(pages->data(), size, node.os_index).value(), 1.0) << node.name;
  }
}

}  // namespace
}  // namespace weir::guest
