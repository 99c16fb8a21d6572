// SPDX-License-Identifier: Apache-2.0

#include "sim/simulator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "sched/policy/throttle.hpp"

namespace weir::sim {

namespace policy = sched::policy;

namespace {

constexpr std::uint64_t kStallNs = 12'000'000;  // as data::Store's watchdog: three looks of 4 ms

}  // namespace

Simulator::Simulator(const Program& program, const Target& target, const Target& source, const Options& options)
    : program_(program),
      target_(target),
      source_(source),
      options_(options),
      moves_here_(options.strategy == Strategy::off || options.strategy == Strategy::inline_),
      graph_(program),
      copies_(target) {
  blocks_ = std::make_unique<Blocks>(program, target, options, options.workers, *this);
  make_workers();
  movers_.resize(options.strategy == Strategy::multi ? static_cast<std::size_t>(options.workers) : 1);
}

Simulator::~Simulator() = default;

void Simulator::make_workers() {
  std::vector<DomainId> used = target_.worker_domains;
  used.erase(std::unique(used.begin(), used.end()), used.end());
  domains_.resize(used.size());
  const auto count = static_cast<std::size_t>(options_.workers);
  for (std::size_t i = 0; i < count + program_.threads.size() - 1; ++i) {
    auto worker = std::make_unique<Worker>();
    worker->index = static_cast<int>(i);
    worker->machine_domain = target_.worker_domains[i % count];
    worker->domain = static_cast<int>(std::find(used.begin(), used.end(), worker->machine_domain) - used.begin());
    worker->takes_tasks = i < count;
    worker->random = static_cast<std::uint32_t>(i) * 0x9e3779b9u + 1;
    const std::size_t thread = i == 0 ? 0 : i < count ? program_.threads.size() : i - count + 1;
    Frame& own = worker->frames.emplace_back();
    own.waits = Waits::ever;
    if (thread < program_.threads.size()) {
      const Span& actions = program_.threads[thread].actions;
      own.at = program_.actions.data() + actions.first;
      own.end = own.at + actions.count;
      own.waits = Waits::nothing;
      ++threads_left_;
    }
    domains_[static_cast<std::size_t>(worker->domain)].workers.push_back(worker->index);
    workers_.push_back(std::move(worker));
  }
}

// ---- The loop ----

base::Result<Prediction> Simulator::run() {
  if (program_.edts) unended_ = program_.tasks.size();
  for (auto& worker : workers_) go_on(*worker, 0);
  while (threads_left_ != 0 && failure_) {
    if (events_.empty() && !end_stall()) return deadlock();
    if (!events_.empty()) handle(events_.take());
  }
  if (!failure_) return failure_;
  account(now_);
  Prediction result;
  result.makespan_ns = now_;
  for (const auto& worker : workers_) {
    WorkerTime time = worker->time;
    if (worker->idle) time.idle += now_ - worker->idle_since;
    time.running = now_ - std::min(now_, time.idle + time.moving);
    result.workers.push_back(time);
    result.tasks += time.tasks;
  }
  result.data_wait_ns = lost_ns_;
  for (const auto& tier : target_.hierarchy.tiers) result.tiers.push_back(tier.name);
  result.moved = copies_.moved();
  result.counters = blocks_->engine().counters();
  result.steals = steals_;
  result.warnings = blocks_->warnings();
  return result;
}

void Simulator::handle(const Event& event) {
  account(event.at);
  now_ = event.at;
  if (event.landed != nullptr) return landed(event);
  Worker& worker = *workers_[static_cast<std::size_t>(event.worker)];
  if (event.turn == worker.turn) step(worker);
}

// As data::Store counts it: workers that have nothing to run while so many ready tasks wait for their blocks.
void Simulator::account(std::uint64_t until) {
  const auto waiting = static_cast<std::uint64_t>(blocks_->engine().waiting());
  lost_ns_ += std::min(static_cast<std::uint64_t>(idle_), waiting) * (until - accounted_until_);
  accounted_until_ = until;
}

bool Simulator::end_stall() {
  for (const bool stuck : {false, true}) {
    if (!blocks_->engine().waits_for_tasks()) return false;
    account(now_ + kStallNs);
    now_ += kStallNs;
    here_ = workers_.front().get();
    blocks_->end_stall(stuck);
    if (here_->moving != nullptr) go_on(*here_, now_);
    if (!events_.empty()) return true;
  }
  return false;
}

base::Status Simulator::deadlock() const {
  return {base::Code::bad_input,
          fmt::format("the simulation came to a deadlock after {:.3f} s: {} tasks have not ended and nothing runs; the "
                      "trace does not say what they wait for, or they wait for memory that this machine does not have",
                      static_cast<double>(now_) * 1e-9, unended_)};
}

// What it was to do before does not come any more.
void Simulator::go_on(Worker& worker, std::uint64_t at) {
  events_.add({at, 0, worker.index, ++worker.turn, nullptr, 0});
}

// ---- A worker ----

// Until something takes time.
void Simulator::step(Worker& worker) {
  worker.woken = false;
  for (;;) {
    if (worker.moving != nullptr) {
      stop_resting(worker);
      return move_next(worker);
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
    if (may_go_on(worker, frame)) {
      stop_resting(worker);
      end_wait(worker, frame);
      continue;
    }
    Node* const node = take(worker);
    if (node == nullptr) return rest(worker);
    stop_resting(worker);
    if (begin(worker, *node)) return;
  }
}

// True: the worker is busy with it until an event.
bool Simulator::act(Worker& worker, Frame& frame) {
  const Action& action = *frame.at++;
  if (action.act == Act::compute) {
    go_on(worker, now_ + static_cast<std::uint64_t>(std::llround(static_cast<double>(action.ns) * frame.factor)));
    return true;
  }
  if (action.ns == 0) {
    carry_out(worker, frame, action);
    return false;
  }
  frame.effect = &action;
  go_on(worker, now_ + action.ns);
  return true;
}

void Simulator::carry_out(Worker& worker, Frame& frame, const Action& action) {
  here_ = &worker;
  switch (action.act) {
    case Act::compute: return;
    case Act::spawn: return spawn(worker, frame, action.subject);
    case Act::satisfy: return satisfy(worker, action.subject);
    case Act::wait_children: return begin_wait(worker, frame, Waits::children, nullptr);
    case Act::wait_task: return begin_wait(worker, frame, Waits::task, &graph_.node(action.subject));
    case Act::wait_all: return begin_wait(worker, frame, Waits::all, nullptr);
    case Act::make:
      if (base::Status status = blocks_->make(action.subject, worker.machine_domain); !status) failure_ = status;
      return;
    case Act::destroy: return blocks_->destroy(action.subject);
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

const Scope* Simulator::find_children(const Worker& worker, const Frame& frame) const {
  return frame.node != nullptr ? frame.node->children.get() : worker.own_children.get();
}

// From here on the engine knows what the task will use: when it is spawned, or, of an EDT, when it has its blocks.
void Simulator::name_blocks(Worker& worker, Node& node) {
  const ProgramTask& of = program_.tasks[node.task];
  const std::span<const Item> items(program_.items.data() + of.items.first, of.items.count);
  bool some = false;
  for (const Item& item : items) {
    if (!item.is_block) continue;
    some = true;
    if (base::Status status = blocks_->make(item.block, worker.machine_domain); !status) failure_ = status;
  }
  if (!some || !failure_) return;
  if (!blocks_->tracked()) {
    node.counted = true;
    return blocks_->begin_untracked();
  }
  const bool named = of.domain >= 0 && of.domain < static_cast<int>(domains_.size());
  const int first = domains_[static_cast<std::size_t>(named ? of.domain : worker.domain)].workers.front();
  blocks_->add(node, items, workers_[static_cast<std::size_t>(first)]->machine_domain);
}

void Simulator::spawn(Worker& worker, Frame& frame, std::uint32_t task) {
  Node& node = graph_.node(task);
  Scope& scope = children_of(worker, frame);
  node.around = &scope;
  ++scope.unfinished;
  if (!program_.edts) ++unended_;
  const ProgramTask& of = program_.tasks[task];
  if (!program_.edts) name_blocks(worker, node);
  if (!failure_) return;
  if (!program_.edts) {
    if (of.items.count != 0) scope.analyse(node, graph_.footprint_of(task));
    for (std::uint32_t i = of.after.first; i < of.after.first + of.after.count; ++i)
      graph_.add_edge(graph_.node(program_.after[i]), node);
    end_ready_joins(worker);
  }
  if (--node.missing == 0) {
    if (program_.edts) name_blocks(worker, node);
    submit(worker, node);
  }
  if (scope.unfinished > scope.limit) throttle(worker, frame);
}

void Simulator::satisfy(Worker& worker, std::uint32_t task) {
  Node& node = graph_.node(task);
  if (!node.arrive(worker.index)) return;
  name_blocks(worker, node);
  make_next(worker, node);
}

// ---- Waiting ----

void Simulator::begin_wait(Worker& worker, Frame& frame, Waits what, Node* awaited) {
  frame.waits = what;
  frame.awaited = awaited;
  if (awaited != nullptr) awaited->awaited = true;
  worker.grain_ns = policy::kUnknownGrain;
  if (what != Waits::children && what != Waits::all) return;
  if (find_children(worker, frame) == nullptr) return;
  children_of(worker, frame).close_reductions();
  end_ready_joins(worker);
}

void Simulator::throttle(Worker& worker, Frame& frame) {
  Scope& scope = children_of(worker, frame);
  const std::int64_t step = policy::throttle_step({0, worker.grain_ns});
  frame.waits = Waits::room;
  frame.enough = std::max<std::int64_t>(scope.limit - step, 0) + scope.open_reductions();
  frame.since = now_;
  frame.ran_before = worker.time.tasks;
  frame.idle_before = worker.time.idle;
}

bool Simulator::may_go_on(const Worker& worker, const Frame& frame) const {
  const Scope* const children = find_children(worker, frame);
  switch (frame.waits) {
    case Waits::nothing: return true;
    case Waits::children: return program_.edts || children == nullptr || children->unfinished == 0;
    case Waits::room: return children->unfinished <= frame.enough;
    case Waits::task: return frame.awaited->ended;
    case Waits::all: return unended_ == 0;
    case Waits::ever: return false;
  }
  return true;
}

void Simulator::end_wait(Worker& worker, Frame& frame) {
  if (frame.waits == Waits::room) {
    Scope& scope = children_of(worker, frame);
    const auto ran = static_cast<std::int64_t>(worker.time.tasks - frame.ran_before);
    const std::uint64_t busy = now_ - frame.since - (worker.time.idle - frame.idle_before);
    const policy::Drained drained{ran, busy, idle_ > 0};
    scope.limit = policy::next_limit({scope.limit, options_.throttle, options_.workers}, drained);
    worker.grain_ns = policy::measured_grain(drained, worker.grain_ns);
  }
  frame.waits = Waits::nothing;
  frame.awaited = nullptr;
}

// True: the thread has nothing more to do.
bool Simulator::end_frame(Worker& worker) {
  here_ = &worker;
  Frame& frame = worker.frames.back();
  Node* const node = frame.node;
  if (node == nullptr) {
    if (unended_ != 0) {  // the runtime's end waits for all
      begin_wait(worker, frame, Waits::all, nullptr);
      return false;
    }
    frame.waits = Waits::ever;
    --threads_left_;
    return threads_left_ == 0;
  }
  worker.frames.pop_back();
  ++worker.time.tasks;
  if (node->children != nullptr && !program_.edts) {
    node->children->close_reductions();
    end_ready_joins(worker);
    node->children->detached = true;
    if (node->children->unfinished != 0) return false;
  }
  end(worker, *node);
  return false;
}

}  // namespace weir::sim
