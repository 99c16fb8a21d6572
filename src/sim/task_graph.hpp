// SPDX-License-Identifier: Apache-2.0

// TaskGraph: the tasks of a simulation, and the edges between them that the dependence analysis finds.
//
// A Scope has the children of one task or thread, and is the Graph that deps::BlockMap draws in. The graph says which
// tasks have become ready and runs none. Owned by a Simulator; one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "data/engine/request.hpp"
#include "deps/block_map.hpp"
#include "sched/policy/placement.hpp"
#include "sched/policy/throttle.hpp"
#include "sim/program.hpp"

namespace weir::sim {

struct Node;
class Scope;
class TaskGraph;

// What commutative tasks on one piece of memory exclude each other with.
struct Lock {
  Node* holder = nullptr;
  std::deque<Node*> queue;
};

struct Node {
  static constexpr std::uint32_t kJoin = ~std::uint32_t{0};  // of Weir's own: it only orders others
  static constexpr std::uint32_t kNoEdge = ~std::uint32_t{0};

  std::uint32_t task = kJoin;       // index in the program
  std::uint32_t missing = 1;        // what it waits for: others, and its own spawn
  std::uint32_t newest = kNoEdge;   // of its edges
  std::uint32_t acquired = 0;       // of `locks`
  Scope* around = nullptr;          // that it is a child of
  std::unique_ptr<Scope> children;  // made at the first spawn
  std::unique_ptr<data::engine::Request> request;
  std::vector<Lock*> locks;
  sched::policy::HomeVote votes;  // of the workers that ran what it comes after
  bool tracked = false;           // an EDT that was made while blocks were
  bool late = false;              // its function has returned, and what it has begun elsewhere is not completed
  bool ended = false, asked = false, begun = false, counted = false, awaited = false;

  bool is_join() const noexcept { return task == kJoin; }
  // One of what it waits for has ended, run by `worker`. True: it was the last.
  bool arrive(int worker) noexcept;
  // Where it is best run, when the last arrival was made by `worker`.
  int home(int worker) const noexcept {
    return static_cast<int>(sched::policy::home_of(votes, static_cast<std::uint32_t>(worker)));
  }
};

class Scope {
 public:
  Scope(TaskGraph& graph, Node* of, int worker, std::int64_t most)
      : limit(most), parent(of), owner(worker), graph_(graph) {}
  ~Scope() {
    if (map_ != nullptr) map_->reset(*this);
  }

  // Edges to `task` from siblings that its footprint conflicts with.
  void analyse(Node& task, std::span<const Access> footprint);
  // Open reductions are combined now. What becomes ready is in TaskGraph::ready.
  void close_reductions();
  std::int64_t open_reductions() const {
    return map_ == nullptr ? 0 : static_cast<std::int64_t>(map_->open_reductions());
  }

  std::int64_t unfinished = 0;
  std::int64_t limit, further = 0, in_order = 0;  // as those of sched::Scope
  Node* const parent;                             // null: a thread's own code
  const int owner;                                // worker that runs the parent
  bool detached = false;

  void count_in_order() noexcept {
    if (++in_order == sched::policy::kManyInOrder) limit -= std::exchange(further, 0);
  }
  // All children have ended.
  void forget_further() noexcept {
    limit -= std::exchange(further, 0);
    in_order = 0;
  }

  // ---- The Graph of deps::BlockMap ----
  bool add_edge(deps::NodeRef before, deps::NodeRef after);
  bool finished(deps::NodeRef ref) const noexcept { return static_cast<const Node*>(ref.node)->ended; }
  deps::NodeRef make_join();
  void seal_join(deps::NodeRef node);
  void* make_lock();
  void release_lock(void*) noexcept {}  // locks are the graph's
  void commutative(deps::NodeRef self, void* lock);
  deps::OpenedReduction open_reduction(const Access&) { return {nullptr, make_join()}; }
  void join_reduction(deps::NodeRef, void*) noexcept {}

 private:
  TaskGraph& graph_;
  std::unique_ptr<deps::BlockMap> map_;
};

class TaskGraph {
 public:
  explicit TaskGraph(const Program& program);

  Node& node(std::uint32_t task) noexcept { return nodes_[task]; }
  // False: `before` has ended.
  bool add_edge(Node& before, Node& after);
  // The footprint of a task as the analysis reads it; valid until the next call.
  std::span<const Access> footprint_of(std::uint32_t task);
  // Calls f(Node&) for what comes after `ended`, the newest edge first.
  template <class F>
  void for_each_successor(const Node& ended, F&& f) {
    for (std::uint32_t e = ended.newest; e != Node::kNoEdge;) {
      const Edge edge = edges_[e];
      f(*edge.to);
      e = edge.older;
    }
  }
  Node& make_join(Scope& scope);
  Lock& make_lock() { return locks_.emplace_back(); }

  std::vector<Node*> ready;  // joins that became ready during a call; the simulator ends them

 private:
  struct Edge {
    Node* to;
    std::uint32_t older;
  };

  const Program& program_;
  std::vector<Node> nodes_;
  std::deque<Node> joins_;
  std::vector<Edge> edges_;
  std::deque<Lock> locks_;
  std::vector<Access> footprint_;
};

}  // namespace weir::sim
