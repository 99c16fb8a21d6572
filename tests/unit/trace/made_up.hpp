// SPDX-License-Identifier: Apache-2.0

// Traces made by hand, in units of one nanosecond.
#pragma once

#include <initializer_list>
#include <string>

#include "trace.hpp"

namespace weir::tool::report {

class MadeUp {
 public:
  MadeUp(int workers, Ns end) {
    trace.workers = workers;
    trace.end = end;
    trace.tasks.emplace_back();
    trace.names = {"task"};
    for (int i = 0; i < workers; ++i) trace.tracks.push_back({"worker " + std::to_string(i), i, 0});
  }

  void span(int worker, Doing doing, Ns start, Ns end, std::uint32_t task = 0) {
    trace.spans.push_back({start, end, static_cast<std::uint32_t>(worker), doing, task});
  }
  // Spawned by `worker` in [spawned, spawned + 1).
  std::uint32_t spawn(int worker, Ns spawned, std::initializer_list<std::uint32_t> after = {}) {
    const auto number = static_cast<std::uint32_t>(trace.tasks.size());
    Task task;
    task.spawned = spawned;
    task.comes_after = after;
    trace.tasks.push_back(task);
    span(worker, Doing::spawn, spawned, spawned + 1, number);
    return number;
  }
  void run(int worker, std::uint32_t number, Ns start, Ns end) {
    Task& task = trace.tasks[number];
    task.ran = true;
    task.start = start;
    task.end = end;
    span(worker, Doing::task, start, end, number);
  }

  Trace trace;
};

}  // namespace weir::tool::report
