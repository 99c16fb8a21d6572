// SPDX-License-Identifier: Apache-2.0

#include "sim/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "sched/policy/order.hpp"
#include "sched/policy/throttle.hpp"

namespace weir::sim {

namespace policy = sched::policy;

namespace {

constexpr std::uint64_t kStallNs = 12'000'000;  // as data::StallWatch: three looks of 4 ms

}  // namespace

Simulator::Simulator(const Program& program, const Target& target, const Target& source, const Options& options)
    : program_(program),
      target_(target),
      options_(options),
      graph_(program),
      team_(program, target, options, clock_),
      blocks_(program, target, options, options.workers, *this),
      movers_(target, options, clock_, blocks_),
      preparer_(clock_, blocks_),
      tasks_(program, target, source, {clock_, team_, blocks_, movers_, graph_}),
      threads_left_(program.threads.size()) {}

Simulator::~Simulator() = default;

// ---- The loop ----

base::Result<Prediction> Simulator::run() {
  if (program_.edts) tasks_.count(program_.tasks.size());
  for (const auto& worker : team_.workers()) clock_.go_on(*worker, 0);
  while (!has_ended() && tasks_.failure()) {
    if (!clock_.has_events() && !end_stall()) return deadlock();
    if (clock_.has_events()) handle(clock_.take());
  }
  if (!tasks_.failure()) return tasks_.failure();
  account(clock_.now());
  Prediction result;
  result.makespan_ns = clock_.now();
  for (const auto& worker : team_.workers()) {
    WorkerTime time = worker->time;
    if (worker->idle) time.idle += clock_.now() - worker->idle_since;
    time.running = clock_.now() - std::min(clock_.now(), time.idle + time.moving);
    result.workers.push_back(time);
    result.tasks += time.tasks;
  }
  result.data_wait_ns = lost_ns_;
  for (const auto& tier : target_.hierarchy.tiers) result.tiers.push_back(tier.name);
  result.moved = movers_.copies().moved();
  result.counters = blocks_.engine().counters();
  result.steals = team_.steals();
  result.warnings = blocks_.warnings();
  return result;
}

void Simulator::handle(const Event& event) {
  account(event.at);
  clock_.advance(event.at);
  Worker& first = team_.worker(0);
  if (event.landed != nullptr || event.mover >= 0)
    movers_.go_on(event, first);
  else if (event.clears)
    preparer_.go_on(event);
  else if (event.staged != nullptr)
    queue_staged(*event.staged);
  else if (event.completed != nullptr)
    complete(*event.completed);
  else
    go_on(event);
  share_cores();
}

void Simulator::go_on(const Event& event) {
  Worker& worker = team_.worker(event.worker);
  if (event.turn != worker.turn) return;
  worker.computing.active = false;
  step(worker);
  if (team_.count_running(worker)) compute_on_beside(worker);
}

// As data::Store counts it: workers that have nothing to run while so many ready tasks wait for their blocks.
void Simulator::account(std::uint64_t until) {
  const auto waiting = static_cast<std::uint64_t>(blocks_.engine().waiting());
  lost_ns_ += std::min(static_cast<std::uint64_t>(team_.idle()), waiting) * (until - accounted_until_);
  accounted_until_ = until;
}

bool Simulator::end_stall() {
  for (const bool stuck : {false, true}) {
    if (!blocks_.engine().waits_for_tasks()) return false;
    account(clock_.now() + kStallNs);
    clock_.advance(clock_.now() + kStallNs);
    Worker& first = team_.worker(0);
    movers_.act_for(first);
    blocks_.end_stall(stuck);
    if (first.moving != nullptr) clock_.go_on(first, clock_.now());
    if (clock_.has_events()) return true;
  }
  return false;
}

base::Status Simulator::deadlock() const {
  return {base::Code::bad_input,
          fmt::format("the simulation came to a deadlock after {:.3f} s: {} tasks have not ended and nothing runs; the "
                      "trace does not say what they wait for, or they wait for memory that this machine does not have",
                      static_cast<double>(clock_.now()) * 1e-9, tasks_.unended())};
}

void Simulator::staged(Node& node) {
  if (decided_at_ > clock_.now()) return clock_.stage(node, decided_at_);
  queue_staged(node);
}

// To the queue of the domain whose worker asked.
void Simulator::queue_staged(Node& node) {
  const int wanted = program_.tasks[node.task].domain;
  team_.push_to_domain(node, team_.has_domain(wanted) ? wanted : team_.worker(node.request->lane).domain);
}

// By a worker that rests, if there is one: it runs what comes after the task.
void Simulator::complete(Node& node) {
  node.late = false;
  if (node.children != nullptr && node.children->unfinished != 0 && !program_.edts) return;
  const auto& workers = team_.workers();
  const auto resting = std::find_if(workers.begin(), workers.end(),
                                    [](const auto& each) { return each->idle && !each->woken && !each->is_away(); });
  Worker& worker = resting == workers.end() ? team_.worker(0) : **resting;
  tasks_.end(worker, node);
  if (worker.idle && !worker.woken && Team::has_some_at_hand(worker)) team_.wake(worker);
}

// ---- A worker ----

// Until something takes time.
void Simulator::step(Worker& worker) {
  worker.woken = false;
  for (;;) {
    if (worker.held_until > clock_.now()) {
      team_.stop_resting(worker);
      return clock_.go_on(worker, worker.held_until);
    }
    if (worker.moving != nullptr) {
      team_.stop_resting(worker);
      return movers_.go_on(worker);
    }
    Frame& frame = worker.frames.back();
    if (frame.effect != nullptr) {
      carry_out(worker, frame, *std::exchange(frame.effect, nullptr));
      continue;
    }
    if (frame.waits == Waits::nothing) {
      if (frame.at == frame.end) {
        if (end_frame(worker)) return;
      } else if (act(worker, frame)) {
        return;
      }
      continue;
    }
    if (tasks_.may_go_on(worker, frame)) {
      team_.stop_resting(worker);
      end_wait(worker, frame);
      continue;
    }
    Node* const node = team_.take(worker);
    if (node == nullptr) return team_.rest(worker);
    team_.stop_resting(worker);
    if (tasks_.begin(worker, *node, shares_.worker)) return;
  }
}

// True: the worker is busy with it until an event.
bool Simulator::act(Worker& worker, Frame& frame) {
  const Action& action = *frame.at++;
  if (action.act == Act::compute) {
    tasks_.set_factor(worker, frame);
    compute(worker, frame, static_cast<double>(action.ns));
    return true;
  }
  if (action.ns == 0) {
    carry_out(worker, frame, action);
    return false;
  }
  frame.effect = &action;
  const double ns = static_cast<double>(action.ns) * tasks_.traced_share(frame) / shares_.worker;
  clock_.go_on(worker, clock_.now() + static_cast<std::uint64_t>(std::llround(ns)));
  return true;
}

void Simulator::compute(Worker& worker, Frame& frame, double ns) {
  const double pace = frame.factor / shares_.worker;
  worker.computing = {true, clock_.now(), ns, pace};
  clock_.go_on(worker, clock_.now() + static_cast<std::uint64_t>(std::llround(ns * pace)));
}

// The rest, if it takes longer or shorter now than was thought.
void Simulator::compute_on(Worker& worker) {
  const Computing& computing = worker.computing;
  Frame& frame = worker.frames.back();
  tasks_.set_factor(worker, frame);
  if (computing.pace == frame.factor / shares_.worker) return;
  const double done = static_cast<double>(clock_.now() - computing.since) / computing.pace;
  compute(worker, frame, std::max(computing.left_ns - done, 0.0));
}

// A worker has begun or ended to use memory: the others of its domain go on faster or slower.
void Simulator::compute_on_beside(const Worker& changed) {
  for (const auto& each : team_.workers())
    if (each->computing.active && each->machine_domain == changed.machine_domain && each.get() != &changed)
      compute_on(*each);
}

// Somebody has begun or ended to want a core: all others may have more or less of one.
void Simulator::share_cores() {
  const CoreShares shares = sim::share_cores(target_.cores, {team_.busy(), movers_.copying(), preparer_.clears()});
  if (shares == shares_) return;
  shares_ = shares;
  movers_.set_shares(shares);
  preparer_.set_share(shares.mover);
  for (const auto& each : team_.workers())
    if (each->computing.active) compute_on(*each);
}

void Simulator::carry_out(Worker& worker, Frame& frame, const Action& action) {
  movers_.act_for(worker);
  switch (action.act) {
    case Act::compute: return;
    case Act::spawn: return spawn(worker, frame, action.subject);
    case Act::satisfy: return satisfy(worker, action);
    case Act::wait_children: return begin_wait(worker, frame, Waits::children, nullptr);
    case Act::wait_task: return begin_wait(worker, frame, Waits::task, &graph_.node(action.subject));
    case Act::wait_all: return begin_wait(worker, frame, Waits::all, nullptr);
    case Act::release: return tasks_.give_blocks_back(*frame.node);
    case Act::make: return tasks_.note(blocks_.make(action.subject, worker.machine_domain, frame.node == nullptr));
    case Act::destroy: return blocks_.destroy(action.subject);
    case Act::start_thread: return team_.start_thread(action.subject);
  }
}

Scope& Simulator::children_of(Worker& worker, const Frame& frame) {
  std::unique_ptr<Scope>& children = frame.node != nullptr ? frame.node->children : worker.own_children;
  if (children == nullptr) {
    const std::int64_t limit = program_.edts ? std::numeric_limits<std::int64_t>::max()
                                             : policy::first_limit(options_.throttle, options_.workers);
    children = std::make_unique<Scope>(graph_, frame.node, worker.index, limit);
  }
  return *children;
}

void Simulator::spawn(Worker& worker, Frame& frame, std::uint32_t task) {
  Node& node = graph_.node(task);
  Scope& scope = children_of(worker, frame);
  node.around = &scope;
  ++scope.unfinished;
  if (!program_.edts) tasks_.count(1);
  const ProgramTask& of = program_.tasks[task];
  program_.edts ? tasks_.name_given(worker, node) : tasks_.name_blocks(worker, node);
  if (!tasks_.failure()) return;
  if (!program_.edts) {
    if (of.items.count != 0) scope.analyse(node, graph_.footprint_of(task));
    for (std::uint32_t i = of.after.first; i < of.after.first + of.after.count; ++i)
      graph_.add_edge(graph_.node(program_.after[i]), node);
    tasks_.end_ready_joins(worker);
  }
  if (node.missing > 2 || node.request != nullptr) scope.count_in_order();
  if (--node.missing == 0) {
    if (program_.edts) tasks_.name_blocks(worker, node);
    tasks_.submit(worker, node);
  }
  if (scope.unfinished > scope.limit) throttle(worker, frame);
}

void Simulator::satisfy(Worker& worker, const Action& action) {
  Node& node = graph_.node(action.subject);
  if (action.block != Action::kNoBlock) tasks_.name_satisfied(worker, node, action.block);
  if (!node.arrive(worker.index)) return;
  tasks_.name_blocks(worker, node);
  tasks_.make_next(worker, node);
}

// ---- Waiting ----

// The traced run cannot have waited for a task beneath the one that waits: it had ended.
bool Simulator::runs(const Worker& worker, const Node& node) {
  return std::any_of(worker.frames.begin(), worker.frames.end(), [&](const Frame& each) { return each.node == &node; });
}

void Simulator::begin_wait(Worker& worker, Frame& frame, Waits what, Node* awaited) {
  if (awaited != nullptr && runs(worker, *awaited)) return;
  frame.waits = what;
  frame.awaited = awaited;
  if (awaited != nullptr) awaited->awaited = true;
  if (what == Waits::children) keep_order(worker, frame);
  worker.grain_ns = policy::kUnknownGrain;
  if (what != Waits::children && what != Waits::all) return;
  if (Tasks::find_children(worker, frame) == nullptr) return;
  children_of(worker, frame).close_reductions();
  tasks_.end_ready_joins(worker);
}

// Of the tasks that it has spawned itself and now waits for, where the policy says so.
void Simulator::keep_order(const Worker& worker, Frame& frame) {
  frame.keeps_order = policy::keeps_order({0, worker.grain_ns}, frame.node != nullptr);
  frame.deque_end = worker.deque_end;
}

void Simulator::throttle(Worker& worker, Frame& frame) {
  Scope& scope = children_of(worker, frame);
  frame.waits = Waits::room;
  keep_order(worker, frame);
  frame.room =
      policy::room_within({scope.limit, options_.throttle, options_.workers}, worker.grain_ns, scope.open_reductions());
  frame.since = clock_.now();
  frame.ran_before = worker.time.tasks;
  frame.idle_before = worker.time.idle;
}

void Simulator::end_wait(Worker& worker, Frame& frame) {
  if (frame.waits == Waits::room) {
    Scope& scope = children_of(worker, frame);
    const auto ran = static_cast<std::int64_t>(worker.time.tasks - frame.ran_before);
    const std::uint64_t busy = clock_.now() - frame.since - (worker.time.idle - frame.idle_before);
    const policy::Drained drained{ran, busy, team_.idle() > 0, scope.in_order};
    const policy::Ahead ahead{scope.limit, options_.throttle, options_.workers};
    const std::int64_t base = policy::next_limit({ahead.now - scope.further, ahead.most, ahead.workers}, drained);
    scope.further = policy::further_than(base, ahead, drained);
    scope.limit = base + scope.further;
    worker.grain_ns = policy::measured_grain(drained, worker.grain_ns);
  }
  if (frame.waits == Waits::children && Tasks::find_children(worker, frame) != nullptr)
    children_of(worker, frame).forget_further();
  frame.waits = Waits::nothing;
  frame.awaited = nullptr;
  frame.keeps_order = false;
}

// True: the thread has nothing more to do.
bool Simulator::end_frame(Worker& worker) {
  movers_.act_for(worker);
  Frame& frame = worker.frames.back();
  Node* const node = frame.node;
  if (node == nullptr) {
    if (worker.index == 0 && tasks_.unended() != 0) {  // the runtime's end waits for all
      begin_wait(worker, frame, Waits::all, nullptr);
      return false;
    }
    frame.waits = Waits::ever;
    if (!worker.takes_tasks) team_.leave_to_others(worker);
    --threads_left_;
    return has_ended();
  }
  worker.frames.pop_back();
  ++worker.time.tasks;
  if (const std::uint64_t late_ns = program_.tasks[node->task].late_ns; late_ns != 0) {
    node->late = true;
    clock_.complete(*node, clock_.now() + late_ns);
  }
  if (node->children != nullptr && !program_.edts) {
    node->children->close_reductions();
    tasks_.end_ready_joins(worker);
    node->children->detached = true;
    if (node->children->unfinished != 0) return false;
  }
  if (!node->late) tasks_.end(worker, *node);
  return false;
}

}  // namespace weir::sim
