// SPDX-License-Identifier: Apache-2.0

// Simulator: a program runs once more, on a machine that need not be there: an event loop whose clock is a cost model.
//
// Edges come from deps/ by the footprints of the program, blocks move as the engine of data/ decides, tasks go where
// the rules of sched/policy/ send them. Nothing is left to chance: equal input gives an equal prediction. One thread.
#pragma once

#include <memory>
#include <vector>

#include "base/result.hpp"
#include "sched/policy/sources.hpp"
#include "sim/blocks.hpp"
#include "sim/copies.hpp"
#include "sim/events.hpp"
#include "sim/prediction.hpp"
#include "sim/program.hpp"
#include "sim/target.hpp"
#include "sim/task_graph.hpp"
#include "sim/worker.hpp"
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
  struct Mover {
    std::vector<data::engine::Transfer*> queue;  // from `first` on
    std::size_t first = 0;
    bool busy = false;
  };

  // ---- simulator.cpp: the loop, and what a task does ----
  void make_workers();
  void handle(const Event& event);
  void account(std::uint64_t until);
  bool end_stall();
  base::Status deadlock() const;
  void step(Worker& worker);
  bool act(Worker& worker, Frame& frame);
  void carry_out(Worker& worker, Frame& frame, const Action& action);
  void name_blocks(Worker& worker, Node& node);
  void spawn(Worker& worker, Frame& frame, std::uint32_t task);
  void satisfy(Worker& worker, std::uint32_t task);
  void begin_wait(Worker& worker, Frame& frame, Waits what, Node* awaited);
  bool may_go_on(const Worker& worker, const Frame& frame) const;
  void end_wait(Worker& worker, Frame& frame);
  bool end_frame(Worker& worker);
  Scope& children_of(Worker& worker, const Frame& frame);
  const Scope* find_children(const Worker& worker, const Frame& frame) const;
  void go_on(Worker& worker, std::uint64_t at);
  void throttle(Worker& worker, Frame& frame);

  // ---- tasks.cpp: how tasks become ready, begin and end ----
  void submit(Worker& worker, Node& node);
  bool ask_for_blocks(Worker& worker, Node& node);
  bool begin(Worker& worker, Node& node);
  bool take_locks(Node& node);
  void end(Worker& worker, Node& node);
  void end_one(Worker& worker, Node& node);
  void release(Worker& worker, Node& node);
  void end_ready_joins(Worker& worker);
  double factor_of(const Worker& worker, const Node& node) const;
  double memory_ns(const Target& on, const Node& node, DomainId domain, unsigned others, bool placed) const;
  unsigned others_in(const Worker& worker) const;

  // ---- queues.cpp: where tasks lie, who takes them, who is woken ----
  void push(Worker& worker, Node& node);
  void push_to_domain(Node& node, int domain);
  void make_next(Worker& worker, Node& node);
  void release_to(Worker& worker, Node& node, int home);
  Node* take(Worker& worker);
  Node* take_from(Worker& worker, sched::policy::Source source);
  Node* look_around(Worker& worker);
  Node* steal_in(Worker& worker, int domain);
  Node* steal_from(Worker& worker, Worker& victim);
  void rest(Worker& worker);
  void stop_resting(Worker& worker);
  void wake_one(int domain);
  void wake(Worker& worker);
  bool has_visible_task(const Worker& worker) const;

  // ---- moving.cpp ----
  void start(data::engine::Transfer* transfers) override;
  void staged(Node& node) override;
  void move_next(Worker& worker);
  void moved(Worker& worker);
  void start_next(std::size_t mover, std::uint64_t after_ns);
  void landed(const Event& event);
  data::engine::NodeId from_of(const data::engine::Transfer& transfer) const;
  data::engine::NodeId to_of(const data::engine::Transfer& transfer) const;

  const Program& program_;
  const Target& target_;
  const Target& source_;
  const Options& options_;
  const bool moves_here_;
  Events events_;
  std::uint64_t now_ = 0;
  TaskGraph graph_;
  Copies copies_;
  std::unique_ptr<Blocks> blocks_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<DomainQueue> domains_;
  std::vector<Mover> movers_;
  Worker* here_ = nullptr;  // on whose behalf the engine is called
  int idle_ = 0;
  std::uint64_t unended_ = 0;     // spawned, or to be satisfied
  std::size_t threads_left_ = 0;  // of the program
  std::vector<Node*> ending_;
  bool ending_now_ = false;
  std::uint64_t look_again_at_ = 0;  // a thief left something; 0: nothing
  std::uint64_t accounted_until_ = 0;
  std::uint64_t lost_ns_ = 0;
  std::uint64_t steals_ = 0;
  base::Status failure_;
};

}  // namespace weir::sim
