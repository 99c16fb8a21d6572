// SPDX-License-Identifier: Apache-2.0

#include "island/graph.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "island/policy/next.hpp"
#include "platform/prefetch.hpp"

namespace weir::island {

namespace {
constexpr std::size_t kAhead = 8;  // nodes: bench/micro/graph_bench
constexpr std::size_t kFew = 6;    // ready tasks among which one is chosen for a worker
}  // namespace

void* TaskGraph::never() {
  WEIR_CHECK(false, "a mode that islands do not have came to their graph");
  return nullptr;
}

TaskNode& TaskGraph::take_node() {
  if (free_.empty()) return nodes_.next();
  TaskNode& node = *free_.back();
  free_.pop_back();
  if (free_.size() >= kAhead) platform::prefetch_to_write(free_[free_.size() - kAhead]);
  return node;
}

TaskNode& TaskGraph::make_node(bool join) {
  TaskNode& node = take_node();
  node.id = next_id_++;
  node.state = TaskState::waiting;
  node.join = join;
  node.cancelled = node.failed = node.held = false;
  node.worker = kNoWorker;
  node.missing = 1;  // whoever makes it
  return node;
}

TaskNode& TaskGraph::make_task() {
  TaskNode& task = make_node(false);
  ++spawned_;
  ++unfinished_;
  return task;
}

void TaskGraph::submit(TaskNode& task, std::span<const Access> footprint) {
  edges_.clear();
  map_.analyse(*this, ref_of(task), footprint);
  if (arrive(task)) ready_.push_back(&task);
}

void TaskGraph::submit_child(TaskNode& parent, TaskNode& task, std::span<const Access> footprint) {
  if (parent.details->children == nullptr) parent.details->children = std::make_unique<Family>();
  Family& family = *parent.details->children;
  ++family.unfinished;
  task.details->parent = &parent;
  edges_.clear();
  family.map.analyse(*this, ref_of(task), footprint);
  if (arrive(task)) ready_.push_back(&task);
}

TaskNode* TaskGraph::leave_family(TaskNode& task) {
  TaskNode* const parent = std::exchange(task.details->parent, nullptr);
  if (parent == nullptr || --parent->details->children->unfinished != 0) return nullptr;
  parent->details->children->map.reset(*this);
  parent->details->children.reset();
  return parent;
}

// Nodes lie as they were spawned and are taken as they get ready: what is taken soon, and what then becomes ready, is
// fetched from memory by now.
void TaskGraph::look_ahead() const noexcept {
  if (ready_.size() <= 2 * kAhead) return;
  platform::prefetch_to_write(ready_[2 * kAhead]);
  platform::prefetch_to_write(ready_[kAhead]->successors.first());
}

TaskNode* TaskGraph::take_ready() {
  if (ready_.empty()) return nullptr;
  look_ahead();
  TaskNode* const task = ready_.front();
  ready_.pop_front();
  return task;
}

TaskNode* TaskGraph::take_ready_for(std::uint16_t worker) {
  if (ready_.empty()) return nullptr;
  look_ahead();
  std::array<std::uint16_t, kFew> after{};
  const std::size_t few = std::min(kFew, ready_.size());
  for (std::size_t i = 0; i < few; ++i) after[i] = ready_[i]->worker;
  const std::size_t chosen = policy::next({{after.data(), few}, kNoWorker, worker});
  TaskNode* const task = ready_[chosen];
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(chosen));
  return task;
}

void TaskGraph::take_back(TaskNode& task) {
  task.state = TaskState::ready;
  ready_.push_front(&task);
}

// True when it is a task that is ready now.
bool TaskGraph::arrive(TaskNode& node) {
  if (--node.missing != 0) return false;
  if (node.join) {
    ended_.push_back(&node);
    return false;
  }
  node.state = TaskState::ready;
  return true;
}

// What waits for joins that end with the task is told, too: a loop, so that a chain of joins takes no stack.
void TaskGraph::release(TaskNode& task) {
  ended_.push_back(&task);
  while (!ended_.empty()) {
    TaskNode& node = *ended_.back();
    ended_.pop_back();
    const std::uint64_t id = std::exchange(node.id, 0);
    if (node.join) {
      ended_joins_.push_back(id);
    } else {
      --unfinished_;
    }
    node.successors.for_each([&](TaskNode* successor) {
      successor->worker = node.worker;
      if (arrive(*successor)) made_ready_.push_back(successor);
    });
    node.successors.clear();
    node.state = TaskState::free;
    free_.push_back(&node);
  }
  for (auto made = made_ready_.rbegin(); made != made_ready_.rend(); ++made) ready_.push_front(*made);
  made_ready_.clear();
  if (unfinished_ == 0) start_again();
}

// Nothing is in flight: nodes are used again in the order in which they lie, as the tasks to come will be.
void TaskGraph::start_again() noexcept {
  ended_before_ = next_id_;
  free_.clear();
  nodes_.rewind();
}

bool TaskGraph::add_edge(deps::NodeRef before, deps::NodeRef after) {
  if (finished(before)) return false;
  TaskNode& first = node_of(before);
  TaskNode& then = node_of(after);
  // The same edge comes again for several blocks of one footprint.
  if (first.successors.ends_with(&then)) return true;
  first.successors.push_back(&then);
  ++then.missing;
  edges_.push_back({first.id, then.id});
  return true;
}

std::uint32_t TaskGraph::group_of(const Access& access) {
  if (access.reduction == nullptr) return 0;
  const Group group{access.reduction->combine, access.ordered};
  const auto found = std::ranges::find(groups_, group);
  if (found != groups_.end()) return static_cast<std::uint32_t>(found - groups_.begin());
  groups_.push_back(group);
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

deps::NodeRef TaskGraph::make_join() { return ref_of(make_node(true)); }

void TaskGraph::seal_join(deps::NodeRef join) {
  TaskNode& node = node_of(join);
  if (--node.missing == 0) release(node);  // all before it have ended meanwhile
}

}  // namespace weir::island
