// SPDX-License-Identifier: Apache-2.0

// What a master says of its tasks to who explains (docs/explaining.md).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <span>
#include <vector>

#include "base/mutex.hpp"
#include "explain/snapshot.hpp"
#include "island/master.hpp"

namespace weir::island {

using explain::Index;
using explain::Thing;

// What workers have been given goes on by itself, and what waits for it goes on when the program looks: tasks cannot
// wait for one another, and one that is stopped looks like one that takes long. So nothing is reported unasked.
bool Master::State::is_still(std::uint64_t& progress) noexcept {
  const base::Lock lock(mutex_);
  progress = counts_.run + graph_.spawned();
  return false;
}

explain::Advance Master::State::advance() {
  const base::Lock lock(mutex_);
  return {counts_.run + counts_.cancelled, graph_.spawned(), {}};
}

namespace {

Thing thing_of(const TaskNode& node) {
  Thing thing;
  thing.kind = node.join ? explain::Kind::own : explain::Kind::task;
  const bool waits = node.state == TaskState::waiting || node.state == TaskState::parent;
  thing.state = waits ? explain::State::waiting : explain::State::ready;
  thing.id = node.id;
  if (node.join) {
    thing.name = "the end of several tasks";
  } else {
    thing.name = node.details->name != nullptr ? node.details->name : "";
    thing.site = node.details->site;
  }
  return thing;
}

}  // namespace

explain::Situation Master::State::look() {
  const base::Lock lock(mutex_);
  explain::Snapshot snapshot(
      fmt::format("islands of process {} ({} worker{})", ::getpid(), workers_.size(), workers_.size() == 1 ? "" : "s"));
  std::vector<const TaskNode*> nodes;
  const trace::ClockPair now = trace::ClockPair::now();
  const double per_tick = seconds_per_tick(clock_, now);
  const std::span<const Worker> workers = workers_;
  graph_.for_each([&](const TaskNode& node) {
    if (node.state == TaskState::done) return;
    if (snapshot.is_full()) return snapshot.leave_out();
    nodes.push_back(&node);
    const Index thing = snapshot.add(&node, thing_of(node));
    if (node.state == TaskState::parent) {
      const std::size_t left = node.details->children->unfinished;
      snapshot[thing].detail = fmt::format("has ended; {} task{} that it has made not", left, left == 1 ? "" : "s");
    }
    if (node.state != TaskState::given) return;
    if (node.worker == kMaster) {
      snapshot[thing].detail = "the master runs it";
      return;
    }
    const Worker& worker = workers[node.worker];
    if (worker.oldest() == &node) {
      const std::uint64_t since = std::max(worker.busy_since, worker.seen);  // it had done with the one before
      snapshot.run(thing, explain::State::running, node.worker + 1,
                   per_tick * static_cast<double>(now.ticks - std::min(now.ticks, since)), {});
    } else {
      snapshot[thing].detail = fmt::format("given to worker {}", node.worker + 1);
    }
  });
  for (const TaskNode* const node : nodes) {
    node->successors.for_each([&](const TaskNode* successor) {
      const Index who = snapshot.find(successor);
      if (who != explain::kNobody) snapshot.wait(who, explain::Cause::edge, snapshot.find(node));
    });
    if (node->join || node->details->parent == nullptr) continue;
    const Index parent = snapshot.find(node->details->parent);
    if (parent != explain::kNobody) snapshot.wait(parent, explain::Cause::edge, snapshot.find(node));
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const auto& given = workers_[i].given;
    snapshot.add_worker(static_cast<int>(i) + 1,
                        workers_[i].ended ? "has died"
                        : given.empty()   ? "has no task"
                                          : fmt::format("process {}, has {} task{}", workers_[i].process.pid(),
                                                        given.size(), given.size() == 1 ? "" : "s"));
  }
  return snapshot.finish();
}

}  // namespace weir::island
