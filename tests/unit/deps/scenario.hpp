// SPDX-License-Identifier: Apache-2.0

// A block map with a fake graph, in the words of tests: spawn a task with these items, ask what it waits for.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <span>

#include "fake_graph.hpp"
#include "weir/footprint.hpp"

namespace weir::deps::test {

class Scenario : public ::testing::Test {
 protected:
  ~Scenario() override {
    map_.reset(graph_);
    EXPECT_EQ(graph_.misuses, 0);
    EXPECT_EQ(graph_.locks_alive, 0);
  }

  template <class... Items>
  NodeRef spawn(const Items&... items) {
    const Access footprint[] = {items.access...};
    return spawn_footprint(footprint);
  }
  NodeRef spawn_footprint(std::span<const Access> footprint) {
    const NodeRef self = graph_.task();
    map_.analyse(graph_, self, footprint);
    return self;
  }
  // The nodes with an edge to `ref`.
  std::set<int> before(NodeRef ref) {
    const auto& edges = graph_.node(ref).before;
    return {edges.begin(), edges.end()};
  }
  std::set<int> nodes(std::initializer_list<NodeRef> refs) {
    std::set<int> found;
    for (const NodeRef ref : refs) found.insert(graph_.node(ref).index);
    return found;
  }
  static std::set<int> nobody() { return {}; }

  FakeGraph graph_;
  BlockMap map_;
};

// Rows of a plain array, as a region of one item.
template <class T>
auto tile_of(T* first, std::size_t rows, std::size_t columns, std::size_t stride) {
  auto item = inout(first, columns);
  item.access.region.rows = rows;
  item.access.region.stride_bytes = stride * sizeof(T);
  return item;
}

}  // namespace weir::deps::test
