// SPDX-License-Identifier: Apache-2.0

// What a master says of its tasks to who explains (docs/explaining.md).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_map>

#include "island/master.hpp"

namespace weir::island {

namespace {

using explain::Cause;
using explain::Index;
using explain::Situation;
using explain::Thing;

constexpr std::size_t kMostTasks = 200'000;

explain::State state_of(const TaskNode& node, bool running) noexcept {
  if (running) return explain::State::running;
  return node.state == TaskState::waiting ? explain::State::waiting : explain::State::ready;
}

}  // namespace

// What workers have been given goes on by itself, and what waits for it goes on when the program looks.
bool Master::State::is_still(std::uint64_t& progress) noexcept {
  const std::lock_guard lock(mutex_);
  progress = run_ + graph_.spawned();
  return false;
}

explain::Advance Master::State::advance() {
  const std::lock_guard lock(mutex_);
  return {run_ + cancelled_, graph_.spawned(), {}};
}

explain::Situation Master::State::look() {
  const std::lock_guard lock(mutex_);
  Situation s;
  s.title =
      fmt::format("islands of process {} ({} worker{})", ::getpid(), workers_.size(), workers_.size() == 1 ? "" : "s");
  std::unordered_map<const TaskNode*, Index> index;
  const trace::ClockPair now = trace::ClockPair::now();
  const double per_tick = seconds_per_tick(now);
  graph_.for_each([&](const TaskNode& node) {
    if (node.state == TaskState::done) return;
    if (s.things.size() == kMostTasks) {
      ++s.left_out;
      return;
    }
    index.emplace(&node, static_cast<Index>(s.things.size()));
    const bool given = node.state == TaskState::given;
    const Worker* const worker = given ? &workers_[node.worker] : nullptr;
    const bool running = given && worker->given.front() == &node;
    Thing thing;
    thing.kind = node.join ? explain::Kind::own : explain::Kind::task;
    thing.state = state_of(node, running);
    thing.id = node.id;
    thing.name = node.join ? "the end of several tasks" : node.name != nullptr ? node.name : "";
    thing.site = node.site;
    if (running) {
      thing.worker = node.worker + 1;
      const std::uint64_t since = std::max(worker->busy_since, worker->seen);  // it had done with the one before
      thing.seconds = per_tick * static_cast<double>(now.ticks - std::min(now.ticks, since));
    } else if (given) {
      thing.detail = fmt::format("given to worker {}", node.worker + 1);
    }
    s.things.push_back(std::move(thing));
  });
  for (const auto& [node, before] : index) {
    for (const TaskNode* const successor : node->successors) {
      const auto found = index.find(successor);
      if (found != index.end()) s.waits.push_back({found->second, Cause::edge, before, false, ""});
    }
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const auto& given = workers_[i].given;
    s.workers.push_back(
        {static_cast<int>(i) + 1, given.empty() ? "has no task"
                                                : fmt::format("process {}, has {} task{}", workers_[i].process.pid(),
                                                              given.size(), given.size() == 1 ? "" : "s")});
  }
  return s;
}

}  // namespace weir::island
