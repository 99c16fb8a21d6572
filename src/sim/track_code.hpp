// SPDX-License-Identifier: Apache-2.0

// TrackCode: from the intervals of tracks, which nest, to what each task and each thread does in its own code.
//
// A task that waits runs others on top of itself; what is between the intervals directly in it is its own time. Used
// once, by read_program(). One thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/program.hpp"
#include "trace/event.hpp"

namespace weir::sim {

struct Interval {
  std::uint64_t start = 0, end = 0;  // ns
  trace::Kind kind = trace::Kind::none;
  std::uint8_t what = 0;                   // of a wait: trace::WaitFor
  std::uint32_t subject = 0;               // task or block, an index
  std::uint32_t from = 0;                  // of an edge: the EDT that satisfies
  std::uint64_t id = 0;                    // of a wait: the task's, as recorded
  std::uint32_t block = Action::kNoBlock;  // of an edge: what it satisfies with
  trace::EdgeBy by = trace::EdgeBy::code;  // of an edge
  bool starts_guest = false;               // no interval: what the first thread has done when guest `subject` comes
};

// The data layer got memory, and who had asked it for something waited. Not which thread that was.
struct Growth {
  std::uint64_t start = 0, end = 0;  // ns
};

// A block was copied between memories by a thread that runs no tasks.
struct Copying {
  std::uint64_t start = 0, end = 0;  // ns
  std::uint64_t bytes = 0;
};

class TrackCode {
 public:
  // The life of the runtime. Growths, in their order, are no time of a thread's own.
  TrackCode(Program& program, std::uint64_t start, std::uint64_t end, std::vector<Growth> growths)
      : program_(program), start_(start), end_(end), growths_(std::move(growths)) {}

  void add(const Copying& copying);

  // A track of a worker, in the order of their numbers.
  void add(int worker, std::vector<Interval> intervals) {
    add(worker, std::move(intervals), {start_, end_}, worker == 0);
  }
  // The same of a thread that is a guest for a while: of its own code only what lies between intervals is known. When
  // it comes the intervals of the first thread say.
  void add_guest(int worker, std::vector<Interval> intervals);
  // After the last one. `spawned`: which tasks have a spawn; others are the runtime's own, and the first thread's.
  void finish(const std::vector<bool>& spawned);

 private:
  struct Open {
    Interval interval;
    std::uint64_t cursor = 0;  // its own code is listed up to here; of a wait: what was done in it ended here
    std::uint64_t inside = 0;  // ns of a wait that something was done in
    std::vector<Action> actions;
  };
  struct Thread {
    int worker;
    std::vector<Action> actions;
  };

  struct Life {
    std::uint64_t start, end;
  };
  // `of_program`: its code outside of intervals is the program's.
  void add(int worker, std::vector<Interval> intervals, Life life, bool of_program);
  void start_guest(const Interval& interval);
  void name_guests(std::vector<Action>& actions) const;
  void enter(const Interval& interval);
  void leave();
  void close_until(std::uint64_t start);
  Open& code() { return open_.back(); }
  void compute_until(Open& open, std::uint64_t at);
  std::uint64_t growth_within(std::uint64_t from, std::uint64_t to) const;
  void act(Open& open, const Interval& interval);
  void wait(Open& open, const Interval& interval);
  void block_event(const Interval& interval);
  void satisfy(const Interval& interval);
  Span store(const std::vector<Action>& actions);
  bool is_root(const Open& open) const { return open.interval.kind == trace::Kind::none; }
  std::uint32_t task_with(std::uint64_t id);

  Program& program_;
  const std::uint64_t start_, end_;
  const std::vector<Growth> growths_;
  std::vector<Open> open_;
  std::vector<Open> spare_;  // their memory is used again
  std::vector<Thread> threads_;
  struct Late {  // a slot that is satisfied when a task has ended
    std::uint32_t from, to, block;
  };
  std::vector<Late> late_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_id_;
  std::uint64_t between_ns_ = 0, tasks_in_waits_ = 0;
  bool of_program_ = false;  // of the track that is being read
  struct Change {            // a worker begins or ends to run a task's code, or a thread to copy
    std::uint64_t at;
    std::int32_t by;           // to the number of workers that do
    std::uint32_t task;        // that begins or ends; none: a wait within one
    double copied = 0;         // to the bytes that are copied in a nanosecond
    std::int32_t outside = 0;  // to the number of threads in the program's code outside of tasks
  };
  std::vector<Change> changes_;
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t ended_ = kNone;    // the change by which the last task of this track ended, if nothing came after it
  std::size_t ended_depth_ = 0;  // how many intervals were open around it
  void note_running(const Interval& interval);
  void note_outside(const Interval& interval);
  void count_beside();
  void mark_items_by_slot();
};

}  // namespace weir::sim
