// SPDX-License-Identifier: Apache-2.0

// Random programs for the dependence analysis, and a judge of its edges that knows nothing of how they were found.
//
// A case is a few dozen tasks over 256 bytes that are never touched: objects, ranges, tiles, sections of watched arrays
// that overlap each other, in all modes; nodes finish, and reductions are closed, at random moments in between. Cases
// of new memory are hundreds of tasks over the bytes behind these, named in growing and falling order, at random, and
// again from the start, in other pieces, when they are used up.
// The judge compares all pairs of tasks byte by byte.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fake_graph.hpp"

namespace weir::deps::test {

// How a random program looks.
struct CaseShape {
  int tasks = 36;
  int watched_percent = 40;  // of the items are sections of watched arrays
  int finish_percent = 30;   // of the steps finish nodes
  int readers_percent = 30;  // of the items are `in`, the others any mode
  int new_percent = 0;       // of the items that are not sections name memory that was not named lately
  bool reductions = true;
  bool commutative = true;
  std::size_t join_from = 32;  // pieces of a range
};

class RandomCase {
 public:
  RandomCase(std::uint64_t seed, const CaseShape& shape);
  // Builds the graph, lets all nodes finish, and judges. Empty when all is well, else what is wrong.
  std::string run();
  const FakeGraph& graph() const { return graph_; }

 private:
  static constexpr int kBytes = 256;
  static constexpr int kAllBytes = 2048;  // with the memory that is named as new
  using Bytes = std::bitset<kAllBytes>;
  struct Item {
    Access access;
    Bytes bytes;
    int end_node;  // the node after which others see what it did: the task, or what combines the reduction
  };
  struct Task {
    int node;
    std::vector<Item> items;
  };
  struct Array {
    std::unique_ptr<Watched<std::byte>> watched;
    std::vector<Bytes> blocks;
  };
  static constexpr int kNodes = 2048;
  using Nodes = std::bitset<kNodes>;

  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }
  bool percent(int chance) { return below(100) < chance; }
  std::byte* at(int offset) const { return base_ + offset; }

  void add_array();
  Access random_access();
  Access random_section();
  Access random_memory();
  Access new_memory();
  Mode random_mode();
  void spawn();
  void finish_some(int count);
  std::string finish_all();

  Bytes bytes_of(const Region& region) const;
  bool near(const Item& a, const Item& b) const;
  std::string find_order(int node);
  std::string judge_pairs();
  std::string judge_pair(const Task& earlier, const Item& a, const Task& later, const Item& b) const;
  std::string judge_edges();
  bool justified(int before, int after) const;
  const std::vector<const Item*>& stands_for(int node) const { return stands_for_[static_cast<std::size_t>(node)]; }
  void sources(int node, std::vector<int>& found) const;

  CaseShape shape_;
  std::mt19937_64 random_;
  std::byte* base_;
  FakeGraph graph_;
  BlockMap map_;
  std::vector<Array> arrays_;  // all that ever were
  int next_[4] = {};           // of new_memory()
  std::vector<Task> tasks_;
  std::vector<Nodes> before_;  // all that come before a node
  std::vector<int> state_;     // of find_order: 0 new, 1 under way, 2 done
  std::vector<std::vector<const Item*>> stands_for_;
};

}  // namespace weir::deps::test
