// SPDX-License-Identifier: Apache-2.0

#include "island/node_slabs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace weir::island {
namespace {

struct alignas(64) Counted {
  explicit Counted() { ++alive; }
  ~Counted() { --alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  static inline int alive = 0;
  int value = 0;
};

TEST(NodeSlabs, NodesAreMadeOnceAndComeInTheSameOrderAfterARewind) {
  constexpr int kNodes = 200'000;  // several slabs, some of them with large pages
  {
    NodeSlabs<Counted> slabs;
    std::vector<Counted*> nodes;
    for (int i = 0; i < kNodes; ++i) {
      nodes.push_back(&slabs.next());
      nodes.back()->value = i;
    }
    EXPECT_EQ(Counted::alive, kNodes);
    EXPECT_EQ(std::set<Counted*>(nodes.begin(), nodes.end()).size(), nodes.size());
    for (const Counted* const node : nodes) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(node) % alignof(Counted), 0u);
    slabs.rewind();
    for (int i = 0; i < kNodes; ++i) ASSERT_EQ(&slabs.next(), nodes[static_cast<std::size_t>(i)]);
    slabs.next();
    EXPECT_EQ(Counted::alive, kNodes + 1);
    int next = 0;
    slabs.for_each([&](const Counted& node) {
      EXPECT_EQ(node.value, next < kNodes ? next : 0);
      ++next;
    });
    EXPECT_EQ(next, kNodes + 1);
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(NodeSlabs, ARewindBeforeTheEndOfASlabMakesNoNodeTwice) {
  NodeSlabs<Counted> slabs;
  Counted* const first = &slabs.next();
  slabs.rewind();
  EXPECT_EQ(&slabs.next(), first);
  Counted* const second = &slabs.next();
  EXPECT_EQ(second - first, 1);
  EXPECT_EQ(Counted::alive, 2);
}

}  // namespace
}  // namespace weir::island
