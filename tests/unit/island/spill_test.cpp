// SPDX-License-Identifier: Apache-2.0

#include "island/spill.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>

namespace weir::island {
namespace {

constexpr std::size_t kMebibytes = std::size_t{1} << 20;

class Spills : public testing::Test {
 protected:
  static Segment segment_of(std::vector<int> nodes) {
    Segment segment{{16 * kMebibytes}};
    segment.os_nodes = std::move(nodes);
    segment.places = segment.os_nodes.size();
    segment.stripe = kMebibytes;
    return segment;
  }

  std::unique_ptr<memory::SharedBacking> memory_ = map_segment({{16 * kMebibytes}}).value();
};

TEST_F(Spills, WhatLiesOnTheNodesOfItsStripesIsNone) {
  const auto is_on = [&](std::byte* page, int node) -> std::optional<bool> {
    return node == ((page - memory_->data()) / std::ptrdiff_t{kMebibytes} % 2 == 0 ? 4 : 5);
  };
  const Spill spill = find_spill(*memory_, segment_of({4, 5}), 16 * kMebibytes, is_on);
  EXPECT_EQ(spill.there, 16 * kMebibytes);
  EXPECT_EQ(spill.elsewhere, 0u);
  EXPECT_EQ(spill.text("4,5"), "");
}

TEST_F(Spills, WhatFoundNoRoomIsSaid) {
  const auto is_on = [&](std::byte* page, int node) -> std::optional<bool> {
    if (page >= memory_->data() + 12 * kMebibytes) return std::nullopt;  // nobody has touched it
    return node == 4 || page < memory_->data() + 4 * kMebibytes;         // 5 is full then
  };
  const Spill spill = find_spill(*memory_, segment_of({4, 5}), 16 * kMebibytes, is_on);
  EXPECT_EQ(spill.there, 12 * kMebibytes);
  EXPECT_EQ(spill.elsewhere, 4 * kMebibytes);
  EXPECT_EQ(spill.text("4,5"),
            "island_nodes=4,5: 4 of 12 MiB of the islands' memory are not on their nodes: node 5 had no room for them, "
            "or they were in the file before; ask for less (island_heap), or name nodes that have more (weir topo)");
}

TEST_F(Spills, MemoryThatIsNotPlacedIsNotLookedAt) {
  int looks = 0;
  const Spill spill = find_spill(*memory_, segment_of({}), 16 * kMebibytes, [&looks](std::byte*, int) {
    ++looks;
    return std::optional(false);
  });
  EXPECT_EQ(looks, 0);
  EXPECT_EQ(spill.elsewhere, 0u);
}

// Where the kernel tells, the pages that are there are on one of its nodes, and not on one that does not exist.
TEST_F(Spills, TheKernelTells) {
  memory_->data()[0] = memory_->data()[5 * kMebibytes] = std::byte{1};
  const Spill spill = find_spill(*memory_, segment_of({1000}), 16 * kMebibytes);
  if (spill.there == 0) GTEST_SKIP() << "the kernel does not tell where pages are";
  EXPECT_EQ(spill.elsewhere, spill.there);
  EXPECT_LT(spill.there, 16 * kMebibytes);
}

}  // namespace
}  // namespace weir::island
