// SPDX-License-Identifier: Apache-2.0

#include "deps/node_list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::deps {
namespace {

// Nodes by number; counts how often one is looked at.
class Nodes {
 public:
  NodeRef ref(std::size_t number) { return {&ended_[number], number}; }
  void end(std::size_t number) { ended_[number] = true; }
  bool finished(NodeRef ref) const {
    ++looks_;
    return *static_cast<const bool*>(ref.node);
  }
  std::size_t looks() const { return looks_; }

 private:
  std::array<bool, 4096> ended_{};
  mutable std::size_t looks_ = 0;
};

TEST(NodeList, GrowingAmongUnfinishedNodesLooksAtOneInEight) {
  Arena arena;
  Nodes nodes;
  NodeList list;
  for (std::size_t i = 0; i < 1024; ++i) list.append(nodes.ref(i), nodes, arena);
  ASSERT_EQ(list.size(), 1024u);
  for (std::size_t i = 0; i < 1024; ++i) EXPECT_EQ(list.begin()[i], nodes.ref(i));
  EXPECT_LE(nodes.looks(), 1024u / 8 + 8);
}

TEST(NodeList, FinishedNodesAreDroppedBeforeItGrows) {
  Arena arena;
  Nodes nodes;
  NodeList list;
  for (std::size_t i = 0; i < 4096; ++i) {
    list.append(nodes.ref(i), nodes, arena);
    if (i >= 8) nodes.end(i - 8);
  }
  EXPECT_LE(list.capacity(), 32u);
  EXPECT_EQ(*(list.end() - 1), nodes.ref(4095));
}

// Whichever have finished: here all but those that are looked at first, or all but the newest of eight.
TEST(NodeList, ItsRoomStaysWithinSixteenTimesTheUnfinishedNodes) {
  for (const std::size_t unfinished : {std::size_t{0}, std::size_t{3}, std::size_t{7}}) {
    Arena arena;
    Nodes nodes;
    NodeList list;
    std::size_t left = 0;
    for (std::size_t i = 0; i < 4096; ++i) {
      list.append(nodes.ref(i), nodes, arena);
      if (i % 8 != unfinished) {
        nodes.end(i);
      } else {
        ++left;
      }
      ASSERT_LE(list.capacity(), 16 * left + 4) << i;
    }
  }
}

}  // namespace
}  // namespace weir::deps
