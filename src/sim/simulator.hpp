// SPDX-License-Identifier: Apache-2.0

// Simulator: a program runs once more, on a machine that need not be there: an event loop whose clock is a cost model.
//
// Edges come from deps/ by the footprints of the program, blocks move as the engine of data/ decides, tasks go where
// the rules of sched/policy/ send them. It does what threads do; who has which task is Team's, how tasks become ready
// and end is that of Tasks, who moves blocks that of Movers. Nothing is left to chance: equal input gives an equal
// prediction. One thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "sim/blocks.hpp"
#include "sim/clock.hpp"
#include "sim/cores.hpp"
#include "sim/movers.hpp"
#include "sim/prediction.hpp"
#include "sim/preparer.hpp"
#include "sim/program.hpp"
#include "sim/target.hpp"
#include "sim/task_graph.hpp"
#include "sim/tasks.hpp"
#include "sim/team.hpp"
#include "weir/options.hpp"

namespace weir::sim {

class Simulator final : public Driver {
 public:
  // All outlive it. `source`: what memory cost where the program was traced, and which of its nodes that program's
  // tasks used. options.workers is the number of workers, at least 1.
  Simulator(const Program& program, const Target& target, const Target& source, const Options& options);
  ~Simulator();

  // Once. no_space when a block has no place; bad_input when the program comes to a deadlock.
  base::Result<Prediction> run();

 private:
  // ---- Driver ----
  void start(data::engine::Transfer* transfers) override { movers_.start(transfers); }
  void decided(std::uint64_t waited_ns) override { decided_at_ = movers_.decided(waited_ns); }
  void prepare(std::size_t node, const memory::DueGrowth& due) override { preparer_.prepare(node, due); }
  void staged(Node& node) override;

  // ---- The loop ----
  void handle(const Event& event);
  void go_on(const Event& event);
  void account(std::uint64_t until);
  bool end_stall();
  base::Status deadlock() const;
  void queue_staged(Node& node);
  void complete(Node& node);

  // ---- What a thread does ----
  void step(Worker& worker);
  bool act(Worker& worker, Frame& frame);
  void compute(Worker& worker, Frame& frame, double ns);
  void compute_on(Worker& worker);
  void compute_on_beside(const Worker& changed);
  void share_cores();
  void carry_out(Worker& worker, Frame& frame, const Action& action);
  void spawn(Worker& worker, Frame& frame, std::uint32_t task);
  void satisfy(Worker& worker, const Action& action);
  Scope& children_of(Worker& worker, const Frame& frame);
  bool end_frame(Worker& worker);
  bool has_ended() const { return threads_left_ == 0 && tasks_.unended() == 0; }

  // ---- What it waits for ----
  static bool runs(const Worker& worker, const Node& node);
  void begin_wait(Worker& worker, Frame& frame, Waits what, Node* awaited);
  static void keep_order(const Worker& worker, Frame& frame);
  void throttle(Worker& worker, Frame& frame);
  void end_wait(Worker& worker, Frame& frame);

  const Program& program_;
  const Target& target_;
  const Options& options_;
  Clock clock_;
  TaskGraph graph_;
  Team team_;
  Blocks blocks_;
  Movers movers_;
  Preparer preparer_;
  Tasks tasks_;
  std::size_t threads_left_;  // of the program
  std::uint64_t accounted_until_ = 0;
  std::uint64_t lost_ns_ = 0;
  std::uint64_t decided_at_ = 0;  // when what the engine says now is known
  CoreShares shares_;
};

}  // namespace weir::sim
