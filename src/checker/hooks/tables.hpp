// SPDX-License-Identifier: Apache-2.0

// What hooks keep of scopes, tasks and events, and the graph in which footprints are analysed a second time.
//
// By malloc(), which handlers of faults must not use: hooks only, by who has the turn.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/checker.hpp"
#include "checker/state.hpp"
#include "deps/block_map.hpp"

namespace weir::checker {

// A node of the dependence analysis: where what comes after it is to begin, and what it has to come after.
struct Node {
  Segment* begin;
  Segment* end;
};

// The graph in which the analysis of footprints draws its edges a second time. Nothing ever ends in it before the scope
// has waited, so that it has the edges that there are in every run.
class Graph {
 public:
  bool add_edge(deps::NodeRef before, deps::NodeRef after) {
    Order::add_edge(node(before).end, node(after).begin);
    return true;
  }
  static bool finished(deps::NodeRef) noexcept { return false; }
  deps::NodeRef make_join() {
    Segment* const segment = state->order.make(nullptr);
    return ref(&nodes_.emplace_back(Node{segment, segment}));
  }
  static void seal_join(deps::NodeRef) noexcept {}
  void* make_lock() noexcept { return this; }
  static void release_lock(void*) noexcept {}
  static void commutative(deps::NodeRef, void*) noexcept {}
  deps::OpenedReduction open_reduction(const Access&) {
    const deps::NodeRef made = make_join();
    return {made.node, made};
  }
  static void join_reduction(deps::NodeRef, void*) noexcept {}

  deps::NodeRef add(Segment* begin, Segment* end) { return ref(&nodes_.emplace_back(Node{begin, end})); }
  void clear() { nodes_.clear(); }

 private:
  static Node& node(deps::NodeRef ref) noexcept { return *static_cast<Node*>(ref.node); }
  static deps::NodeRef ref(Node* node) noexcept { return {node, 1}; }
  std::deque<Node> nodes_;
};

// The children of one parent, from its first spawn on.
struct Scope {
  Graph graph;
  deps::BlockMap map;
  std::unordered_map<RegionId, std::size_t> regions;  // and how many unfinished children name them
  std::vector<Segment*> ends;                         // of children since the last wait
  Segment* segment = nullptr;                         // outside of tasks: what comes before the next child
  ~Scope() { map.reset(graph); }
};

struct Untouched {
  const TaskInfo* task = nullptr;
  Item item;
  std::uint64_t declared = 0, touched = 0;
};

// A fork_join() under way.
struct Fork {
  const void* half = nullptr;    // by which it is known
  Segment* before = nullptr;     // what both parts come after
  Segment* first = nullptr;      // the last segment of the first part, when that is over
  const void* around = nullptr;  // Segment::fork of what comes before
};

struct Tables {
  std::unordered_map<Frames, std::unique_ptr<Site>, Hash> sites;
  std::unordered_map<std::uintptr_t, std::unique_ptr<Site>> asked_sites;  // by function
  std::unordered_map<std::string, std::unique_ptr<TaskInfo>> infos;       // by site and name
  std::unordered_map<const void*, std::unique_ptr<Scope>> scopes;
  std::unordered_map<std::uint64_t, Segment*> ends;  // of tasks, by id
  std::unordered_map<std::uint64_t, Untouched> items;
  struct OwnedBlock {
    RegionId region;
    std::size_t bytes;  // of its pages, with the one behind it
  };
  std::unordered_map<const void*, OwnedBlock> blocks;
  std::unordered_map<EventKey, Segment*, Hash> events;
  std::unordered_map<const void*, Segment*> turns;  // of blocks: who had it for himself, and has given it up last
  std::vector<Fork> forks;                          // that have begun, the last one last
  std::size_t unfinished = 0;
};
extern Tables* tables;  // null before start()

// Of a hook that other hooks of the checker call.
class Pause {
 public:
  Pause() noexcept { the_checker.pause(); }
  ~Pause() { the_checker.resume(); }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
};

// Of the tasks that are spawned where the calling task's frames, or `where`, say.
const TaskInfo* info_of(const char* name, const void* where, std::uintptr_t function, bool ocr);
// Of EDTs of the function that other processes ask for: the frames that they are made in are the library's, those of
// whatever thread serves.
const TaskInfo* info_of_asked(const char* name, std::uintptr_t function);
Scope& scope_of(const void* scope);

// Accesses of the task up to now belong to its segment; what comes after it from now on comes after these.
void settle(Run& run);
// What the thread does from now on comes after those.
Segment* join(Segment* current, const TaskInfo* task, std::span<Segment* const> before);

RegionId watch_region(Scope& scope, const WatchedRegion& region);
void forget_regions(Scope& scope);
// The program may use memory for something else when it has waited for the tasks that name it.
void forget_unused_regions(Scope& scope);

// An EDT has blocks, in this run, after who had them for himself before; and it gives one up that it has so.
void take_turns(Run& run);
void give_up_turn(Run& run, const Item& item);

void forget_order();
// Nothing is under way anywhere: what has been comes before all that will be.
void forget_order_if_still();

// counts.cpp: the items of a task that has ended; and, under the gate, what has been counted since the last time.
void count_items(const Run& run);
void tell_untouched() WEIR_REQUIRES(state->gate);
void tell_counts() WEIR_REQUIRES(state->gate);

}  // namespace weir::checker

namespace weir {

struct check::TaskRecord {
  checker::Run run;
  bool finish = false;                   // an EDT whose end comes after those that it makes
  checker::Segment* finished = nullptr;  // the end of the innermost such EDT around it
  const void* scope = nullptr;           // that it is in
  std::vector<checker::RegionId> regions;
  const void* children = nullptr;  // the scope of its own
  explicit TaskRecord(const checker::TaskInfo* info) : run(info, &checker::state->pool, &checker::state->gate_pool) {}
};

}  // namespace weir
