// SPDX-License-Identifier: Apache-2.0

// TrackCode: from the intervals of tracks, which nest, to what each task and each thread does in its own code.
//
// A task that waits runs others on top of itself; what is between the intervals directly in it is its own time. Used
// once, by read_program(). One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/program.hpp"
#include "trace/event.hpp"

namespace weir::sim {

struct Interval {
  std::uint64_t start = 0, end = 0;  // ns
  trace::Kind kind = trace::Kind::none;
  std::uint8_t what = 0;      // of a wait: trace::WaitFor
  std::uint32_t subject = 0;  // task or block, an index
  std::uint32_t from = 0;     // of an edge: the EDT that satisfies
  std::uint64_t id = 0;       // of a wait: the task's, as recorded
};

class TrackCode {
 public:
  // The life of the runtime.
  TrackCode(Program& program, std::uint64_t start, std::uint64_t end) : program_(program), start_(start), end_(end) {}

  // A track of a worker, or of another thread, in the order of their numbers.
  void add(int worker, std::vector<Interval> intervals);
  // After the last one. `spawned`: which tasks have a spawn; others are the runtime's own, and the first thread's.
  void finish(const std::vector<bool>& spawned);

 private:
  struct Open {
    Interval interval;
    std::uint64_t cursor = 0;  // its own code is listed up to here
    std::uint64_t inside = 0;  // ns of a wait that something was done in
    std::vector<Action> actions;
  };
  struct Thread {
    int worker;
    std::vector<Action> actions;
  };

  void enter(const Interval& interval);
  void leave();
  void close_until(std::uint64_t start);
  Open& code() { return open_.back(); }
  void compute_until(Open& open, std::uint64_t at);
  void act(Open& open, const Interval& interval);
  void wait(Open& open, const Interval& interval);
  void block_event(const Interval& interval);
  void satisfy(const Interval& interval);
  Span store(const std::vector<Action>& actions);
  bool is_root(const Open& open) const { return open.interval.kind == trace::Kind::none; }
  std::uint32_t task_with(std::uint64_t id);

  Program& program_;
  const std::uint64_t start_, end_;
  std::vector<Open> open_;
  std::vector<Open> spare_;  // their memory is used again
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> late_;  // slots that are satisfied when a task has ended: pairs of tasks
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_id_;
  std::uint64_t between_ns_ = 0, tasks_in_waits_ = 0;
  struct Change {  // a task begins, or a worker has come to the end of what it ran
    std::uint64_t at;
    int by;              // to the number of workers that run tasks
    std::uint32_t task;  // that begins; none: ~0
  };
  std::vector<Change> changes_;
  void count_beside();
};

}  // namespace weir::sim
