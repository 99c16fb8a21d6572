// SPDX-License-Identifier: Apache-2.0

#include "sim/task_graph.hpp"

#include <algorithm>
#include <functional>

namespace weir::sim {

namespace {

// Where no address of a program is: what stands for block number 0.
constexpr std::uintptr_t kBlocks = std::uintptr_t{1} << 62;
constexpr detail::Reduction kAnyReduction{0, 1, nullptr, nullptr, nullptr};

deps::NodeRef ref_of(Node& node) noexcept { return {&node, 1}; }
Node& node_of(deps::NodeRef ref) noexcept { return *static_cast<Node*>(ref.node); }

}  // namespace

// As sched::Arrivals: the last arrival does not vote.
bool Node::arrive(int worker) noexcept {
  if (--missing == 0) return true;
  votes = sched::policy::vote(votes, static_cast<std::uint32_t>(worker));
  return false;
}

void Scope::analyse(Node& task, std::span<const Access> footprint) {
  if (map_ == nullptr) map_ = std::make_unique<deps::BlockMap>();
  map_->analyse(*this, ref_of(task), footprint);
}

void Scope::close_reductions() {
  if (map_ != nullptr) map_->close_reductions(*this);
}

bool Scope::add_edge(deps::NodeRef before, deps::NodeRef after) {
  return graph_.add_edge(node_of(before), node_of(after));
}

deps::NodeRef Scope::make_join() { return ref_of(graph_.make_join(*this)); }

void Scope::seal_join(deps::NodeRef node) {
  Node& join = node_of(node);
  if (--join.missing == 0) graph_.ready.push_back(&join);
}

void* Scope::make_lock() { return &graph_.make_lock(); }

void Scope::commutative(deps::NodeRef self, void* lock) {
  std::vector<Lock*>& locks = node_of(self).locks;
  Lock* const wanted = static_cast<Lock*>(lock);
  if (std::find(locks.begin(), locks.end(), wanted) == locks.end()) locks.push_back(wanted);
}

TaskGraph::TaskGraph(const Program& program) : program_(program), nodes_(program.tasks.size()) {
  for (std::uint32_t task = 0; task < nodes_.size(); ++task) {
    nodes_[task].task = task;
    nodes_[task].missing = 1 + (program.edts ? program.tasks[task].slots : 0);
  }
  edges_.reserve(program.items.size());
}

bool TaskGraph::add_edge(Node& before, Node& after) {
  if (before.ended) return false;
  edges_.push_back({&after, before.newest});
  before.newest = static_cast<std::uint32_t>(edges_.size() - 1);
  ++after.missing;
  return true;
}

Node& TaskGraph::make_join(Scope& scope) {
  Node& join = joins_.emplace_back();
  join.around = &scope;
  ++scope.unfinished;
  return join;
}

std::span<const Access> TaskGraph::footprint_of(std::uint32_t task) {
  footprint_.clear();
  const Span& items = program_.tasks[task].items;
  for (std::uint32_t i = items.first; i < items.first + items.count; ++i) {
    const Item& item = program_.items[i];
    Access& access = footprint_.emplace_back();
    access.mode = item.mode;
    access.ordered = item.ordered;
    if (item.mode == Mode::reduce) access.reduction = &kAnyReduction;
    if (item.is_block) {
      access.region = {reinterpret_cast<const void*>(kBlocks + std::uintptr_t{item.block} * 64), 1, 1, 0};
      access.storage = Storage::block;
    } else {
      access.region = item.region;
      if (item.watched != 0) access.partition = program_.watched_array(item.watched);
    }
  }
  return footprint_;
}

}  // namespace weir::sim
