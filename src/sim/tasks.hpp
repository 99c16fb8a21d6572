// SPDX-License-Identifier: Apache-2.0

// Tasks: how the tasks of a simulation get their blocks, become ready, begin and end.
//
// Has what has not ended, and says when a frame that waits may go on. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "sim/blocks.hpp"
#include "sim/clock.hpp"
#include "sim/movers.hpp"
#include "sim/program.hpp"
#include "sim/target.hpp"
#include "sim/task_graph.hpp"
#include "sim/task_time.hpp"
#include "sim/team.hpp"

namespace weir::sim {

// The other parts of a simulation, which outlive it.
struct TaskParts {
  Clock& clock;
  Team& team;
  Blocks& blocks;
  Movers& movers;
  TaskGraph& graph;
};

class Tasks {
 public:
  Tasks(const Program& program, const Target& target, const Target& source, const TaskParts& parts)
      : program_(program),
        clock_(parts.clock),
        team_(parts.team),
        blocks_(parts.blocks),
        movers_(parts.movers),
        graph_(parts.graph),
        time_(program, target, source, parts.blocks) {}

  // From here on the engine knows what the task will use: when it is spawned, or, of an EDT, when it has its blocks.
  void name_blocks(Worker& worker, Node& node);
  // Of an EDT, before that: blocks that it is given when it is made, and one that satisfies a slot.
  void name_given(Worker& worker, Node& node);
  void name_satisfied(Worker& worker, Node& node, std::uint32_t block);
  // The task waits for nothing but its blocks. The second: the worker runs it next, if it may.
  void submit(Worker& worker, Node& node);
  void make_next(Worker& worker, Node& node);
  // True: the worker is busy until an event. False: it comes again, or waits for a lock. `share`: what it has of a
  // core.
  bool begin(Worker& worker, Node& node, double share);
  // By how much longer than in the traced run the frame computes now.
  void set_factor(const Worker& worker, Frame& frame) const;
  // What the frame's thread had of a core in the traced run.
  double traced_share(const Frame& frame) const { return traced_share(frame.node); }
  // It uses its blocks no more: those that it has, or had, go to others.
  void give_blocks_back(Node& node);
  // Of one whose function has returned and whose children have ended: what that makes ready, and whom it wakes.
  void end(Worker& worker, Node& node);
  // Joins that the graph has found ready.
  void end_ready_joins(Worker& worker);

  // The children of the frame's task or thread; null: it has had none.
  static const Scope* find_children(const Worker& worker, const Frame& frame);
  // What the frame waits for has come.
  bool may_go_on(const Worker& worker, const Frame& frame) const;

  // Spawned, or to be satisfied, and not ended.
  std::uint64_t unended() const noexcept { return unended_; }
  void count(std::uint64_t tasks) noexcept { unended_ += tasks; }
  // The first failure ends the simulation.
  const base::Status& failure() const noexcept { return failure_; }
  void note(base::Status status) {
    if (!status) failure_ = std::move(status);
  }

 private:
  template <class Wanted>
  void name_early(Worker& worker, Node& node, Wanted&& wanted);
  bool ask_for_blocks(Worker& worker, Node& node);
  static bool take_locks(Node& node);
  double traced_share(const Node* node) const {
    return time_.traced_share(node == nullptr ? program_.busy_beside : program_.tasks[node->task].busy_beside);
  }
  void end_one(Worker& worker, Node& node);
  void release(Worker& worker, Node& node);

  const Program& program_;
  Clock& clock_;
  Team& team_;
  Blocks& blocks_;
  Movers& movers_;
  TaskGraph& graph_;
  TaskTime time_;
  std::uint64_t unended_ = 0;
  std::vector<Node*> ending_;
  bool is_ending_ = false;
  base::Status failure_ = base::Status::success();
};

}  // namespace weir::sim
