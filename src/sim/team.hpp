// SPDX-License-Identifier: Apache-2.0

// Team: the workers of a simulation, where ready tasks lie, in which order a worker looks there, whom it steals from,
// and who is woken.
//
// The rules are those of sched/policy; the queues are the simulation's own. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sched/policy/sources.hpp"
#include "sim/clock.hpp"
#include "sim/program.hpp"
#include "sim/target.hpp"
#include "sim/worker.hpp"
#include "weir/options.hpp"

namespace weir::sim {

class Team {
 public:
  using Workers = std::vector<std::unique_ptr<Worker>>;

  // options.workers workers, and one for each further thread of the program.
  Team(const Program& program, const Target& target, const Options& options, Clock& clock);

  const Workers& workers() const noexcept { return workers_; }
  Worker& worker(int index) const noexcept { return *workers_[static_cast<std::size_t>(index)]; }
  // A domain that a task asks for, of those that have workers.
  bool has_domain(int domain) const noexcept { return domain >= 0 && domain < static_cast<int>(domains_.size()); }
  DomainId machine_domain(int domain) const noexcept;
  // Workers of the same domain of the machine that run a task, besides this one, as far as they have been counted.
  unsigned others_in(const Worker& worker) const noexcept;
  // Whether the worker runs a task may have changed. True: it has, and those of its domain share memory with more or
  // fewer.
  [[nodiscard]] bool count_running(Worker& worker);

  // ---- Threads of the program besides the first ----
  // Program::threads[thread] begins what it does.
  void start_thread(std::uint32_t thread);
  // It has nothing more to do, and runs no tasks: what lies with it is for others.
  void leave_to_others(Worker& worker);

  // ---- A ready task ----
  void push(Worker& worker, Node& node);
  void push_to_domain(Node& node, int domain);
  // The worker runs it next, before what was to be next.
  void make_next(Worker& worker, Node& node);
  // To the mailbox of the worker at `home`, if the rule says so; the worker is the one that made it ready.
  [[nodiscard]] bool try_mail(Worker& worker, Node& node, int home);

  // Its own places have a task, or others have sent it one.
  static bool has_some_at_hand(const Worker& worker) noexcept {
    return worker.next != nullptr || has_visible_task(worker);
  }
  // What the worker runs next. Null: it rests.
  Node* take(Worker& worker);

  // ---- Who rests ----
  void rest(Worker& worker);
  void stop_resting(Worker& worker);
  void wake(Worker& worker);
  int idle() const noexcept { return idle_; }
  unsigned busy() const noexcept {
    return static_cast<unsigned>(workers_.size()) - static_cast<unsigned>(idle_ + away_);
  }

  std::uint64_t steals() const noexcept { return steals_; }

 private:
  Node* take_from(Worker& worker, sched::policy::Source source);
  Node* look_around(Worker& worker);
  Node* steal_in(Worker& worker, int domain);
  Node* steal_from(Worker& worker, Worker& victim);
  void wake_one(int domain);
  static bool has_visible_task(const Worker& worker) noexcept;

  const Program& program_;
  const Options& options_;
  Clock& clock_;
  Workers workers_;
  std::vector<DomainQueue> domains_;
  std::vector<unsigned> running_;  // by domain of the machine
  int idle_ = 0;
  int away_ = 0;                     // threads that have not begun, or have ended
  std::uint64_t look_again_at_ = 0;  // a thief left something; 0: nothing
  std::uint64_t steals_ = 0;
};

}  // namespace weir::sim
