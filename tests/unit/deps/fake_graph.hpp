// SPDX-License-Identifier: Apache-2.0

// A graph for tests of the dependence analysis: it keeps every node and edge, and nodes finish when a test says so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <set>
#include <utility>
#include <vector>

#include "deps/block_map.hpp"

namespace weir::deps::test {

class FakeGraph {
 public:
  enum class What : std::uint8_t { task, join, combine };
  struct Node {
    int index = 0;
    What what = What::task;
    bool sealed = true;  // joins and combining nodes: all edges to it are there
    bool finished = false;
    std::uint64_t generation = 1;
    std::vector<int> before;       // edges to this node
    std::vector<int> finished_by;  // nodes that had finished when this one was made
    std::set<int> locks;
    std::vector<int> groups;  // combining nodes of the reductions that it joined, in order
  };

  // --- what BlockMap asks
  bool add_edge(NodeRef before, NodeRef after) {
    ++add_edge_calls;
    if (edges_before_failure == 0) throw std::bad_alloc();
    if (edges_before_failure > 0) --edges_before_failure;
    if (finished(before)) return false;
    node(after).before.push_back(node(before).index);
    ++edges;
    return true;
  }
  bool finished(NodeRef ref) const {
    const Node& n = *static_cast<const Node*>(ref.node);
    return n.generation != ref.generation || n.finished;
  }
  NodeRef make_join() { return make(What::join); }
  void seal_join(NodeRef ref) {
    if (node(ref).sealed) ++misuses;
    node(ref).sealed = true;
  }
  void* make_lock() {
    ++locks_alive;
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(++locks_made));
  }
  void release_lock(void*) { --locks_alive; }
  void commutative(NodeRef self, void* lock) {
    node(self).locks.insert(static_cast<int>(reinterpret_cast<std::uintptr_t>(lock)));
  }
  OpenedReduction open_reduction(const Access&) {
    const NodeRef made = make(What::combine);
    return {made.node, made};
  }
  void join_reduction(NodeRef self, void* group) {
    if (static_cast<Node*>(group)->sealed) ++misuses;
    node(self).groups.push_back(static_cast<Node*>(group)->index);
  }

  // --- what tests do
  NodeRef task() { return make(What::task); }
  // All edges to it are from finished nodes, and it is sealed.
  bool ready(int index) const {
    const Node& n = *nodes_[static_cast<std::size_t>(index)];
    return !n.finished && n.sealed && std::all_of(n.before.begin(), n.before.end(), [&](int b) {
      return nodes_[static_cast<std::size_t>(b)]->finished;
    });
  }
  void finish(int index) { nodes_[static_cast<std::size_t>(index)]->finished = true; }
  void finish(NodeRef ref) { finish(node(ref).index); }
  // Its memory is used for something else.
  void reuse(NodeRef ref) { ++node(ref).generation; }

  Node& node(NodeRef ref) { return *static_cast<Node*>(ref.node); }
  const Node& node(int index) const { return *nodes_[static_cast<std::size_t>(index)]; }
  int size() const { return static_cast<int>(nodes_.size()); }

  std::uint64_t edges = 0;
  std::uint64_t add_edge_calls = 0;
  int edges_before_failure = -1;  // those that are still made before there is no memory for any; -1: there is
  int locks_made = 0;
  int locks_alive = 0;
  int misuses = 0;

 private:
  NodeRef make(What what) {
    auto n = std::make_unique<Node>();
    n->index = size();
    n->what = what;
    n->sealed = what == What::task;
    for (const auto& other : nodes_)
      if (other->finished) n->finished_by.push_back(other->index);
    nodes_.push_back(std::move(n));
    return {nodes_.back().get(), 1};
  }

  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace weir::deps::test
