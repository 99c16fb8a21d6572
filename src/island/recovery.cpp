// SPDX-License-Identifier: Apache-2.0

// What a master does when a worker has died, and how it calls a task in messages.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/mutex.hpp"
#include "island/master.hpp"
#include "platform/source_lines.hpp"

namespace weir::island {

std::string Master::State::title_of(const TaskNode& task) const {
  const std::string name = task.details->name != nullptr ? fmt::format("task '{}'", task.details->name) : "a task";
  const auto source = platform::find_source(std::array{task.details->site});
  const std::string where = task.worker == kMaster ? "the master" : fmt::format("worker {}", task.worker + 1);
  return fmt::format("{}, spawned at {}, on {},", name, source.at(0).text(), where);
}

void Master::State::look_after_workers() {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    if (worker.ended) continue;
    const std::string how = worker.process.how_it_ended();
    if (how.empty()) continue;
    collect();  // it may have done with tasks before
    const std::string who =
        fmt::format("worker {} (process {}) {}{}", i + 1, worker.process.pid(), how,
                    worker.given.empty() ? ";" : ", while it had " + title_of(*worker.given.front()));
    const std::size_t tasks = worker.given.size();
    if (hand_over(worker)) {
      std::fprintf(stderr, "weir: %s %zu task%s given to other workers\n", who.c_str(), tasks,
                   tasks == 1 ? " is" : "s are");
      continue;
    }
    const std::size_t left = graph_.unfinished() - completed_.size();
    broken_ = fmt::format("{} {} task{} left undone", who, left, left == 1 ? " is" : "s are");
    throw Error(broken_);
  }
}

// Puts memory back to what it was before the task that the worker may have begun, the oldest that it had, and makes all
// of its tasks the next to be given away. False: that task has run as often as it may, or no worker is left.
bool Master::State::hand_over(Worker& worker) {
  worker.ended = true;
  if (std::ranges::all_of(workers_, [](const Worker& other) { return other.ended; })) return false;
  if (!worker.given.empty()) {
    TaskNode& begun = *worker.given.front();
    if (begun.details->deaths++ == static_cast<unsigned>(own_.retries)) return false;
    begun.details->undo.restore(space_->memory());
    counts_.rerun += worker.given.size();
    for (auto task = worker.given.rbegin(); task != worker.given.rend(); ++task) graph_.take_back(**task);
    worker.given.clear();
  } else if (own_.retries == 0) {
    return false;
  }
  // Full for ever, so that nothing is placed there.
  queued_[static_cast<std::size_t>(&worker - workers_.data())] = Mailbox::kSlots;
  return true;
}

}  // namespace weir::island
