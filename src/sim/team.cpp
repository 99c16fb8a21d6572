// SPDX-License-Identifier: Apache-2.0

#include "sim/team.hpp"

#include <algorithm>
#include <utility>

#include "sched/policy/order.hpp"
#include "sched/policy/placement.hpp"
#include "sched/policy/steal.hpp"
#include "sched/policy/victims.hpp"

namespace weir::sim {

namespace policy = sched::policy;

namespace {

constexpr std::uint64_t kFindNs = 300;     // from a task that lies there to the worker that searches
constexpr std::uint64_t kWakeNs = 30'000;  // to one that sleeps (policy/placement.hpp: what waking costs on a VM)
constexpr std::size_t kMostStolen = 64;    // as StealDeque::Batch

Node* take_front(std::deque<Node*>& queue) {
  if (queue.empty()) return nullptr;
  Node* const node = queue.front();
  queue.pop_front();
  return node;
}

}  // namespace

Team::Team(const Program& program, const Target& target, const Options& options, Clock& clock)
    : program_(program), options_(options), clock_(clock) {
  std::vector<DomainId> used = target.worker_domains;
  used.erase(std::unique(used.begin(), used.end()), used.end());
  domains_.resize(used.size());
  running_.resize(target.costs.domains());
  const auto count = static_cast<std::size_t>(options.workers);
  for (std::size_t i = 0; i < count + program.threads.size() - 1; ++i) {
    auto worker = std::make_unique<Worker>();
    worker->index = static_cast<int>(i);
    worker->machine_domain = target.worker_domains[i % count];
    worker->domain = static_cast<int>(std::find(used.begin(), used.end(), worker->machine_domain) - used.begin());
    worker->takes_tasks = i < count;
    worker->random = static_cast<std::uint32_t>(i) * 0x9e3779b9u + 1;
    const std::size_t thread = i == 0 ? 0 : i < count ? program.threads.size() : i - count + 1;
    Frame& own = worker->frames.emplace_back();
    own.waits = Waits::ever;
    if (thread < program.threads.size()) {
      const Span& actions = program.threads[thread].actions;
      own.at = program.actions.data() + actions.first;
      own.end = own.at + actions.count;
      own.waits = program.threads[thread].is_started ? Waits::ever : Waits::nothing;
    }
    domains_[static_cast<std::size_t>(worker->domain)].workers.push_back(worker->index);
    workers_.push_back(std::move(worker));
  }
}

DomainId Team::machine_domain(int domain) const noexcept {
  return worker(domains_[static_cast<std::size_t>(domain)].workers.front()).machine_domain;
}

unsigned Team::others_in(const Worker& worker) const noexcept {
  return running_[static_cast<std::size_t>(worker.machine_domain)] - (worker.runs_task ? 1 : 0);
}

bool Team::count_running(Worker& worker) {
  const bool runs = !worker.idle && worker.frames.back().node != nullptr;
  if (std::exchange(worker.runs_task, runs) == runs) return false;
  unsigned& running = running_[static_cast<std::size_t>(worker.machine_domain)];
  runs ? ++running : --running;
  return true;
}

void Team::start_thread(std::uint32_t thread) {
  Worker& worker = this->worker(options_.workers + static_cast<int>(thread) - 1);
  stop_resting(worker);  // while it is away
  worker.frames.back().waits = Waits::nothing;
  clock_.go_on(worker, clock_.now());
}

void Team::leave_to_others(Worker& worker) {
  if (worker.next != nullptr) push(worker, *std::exchange(worker.next, nullptr));
  while (Node* const node = take_front(worker.mailbox)) push(worker, *node);
}

// ---- Where they lie ----

void Team::push(Worker& worker, Node& node) {
  worker.deque.push_back(&node);
  ++worker.deque_end;
  worker.deque_changed = clock_.now();
  if (idle_ > 0) wake_one(worker.domain);
}

void Team::push_to_domain(Node& node, int domain) {
  domains_[static_cast<std::size_t>(domain)].ready.push_back(&node);
  if (idle_ > 0) wake_one(domain);
}

void Team::make_next(Worker& worker, Node& node) {
  if (worker.next != nullptr) push(worker, *worker.next);
  worker.next = &node;
}

bool Team::try_mail(Worker& worker, Node& node, int home) {
  Worker& other = this->worker(home);
  policy::Home seen;
  seen.is_here = home == worker.index;
  seen.same_domain = other.domain == worker.domain;
  seen.task_is_plain = node.request == nullptr && program_.tasks[node.task].domain < 0 && node.locks.empty();
  if (other.is_away() || policy::place_released(seen) != policy::Source::mailbox) return false;
  other.mailbox.push_back(&node);
  if (other.idle && !other.woken)
    wake(other);
  else if (idle_ > 0)
    wake_one(worker.domain);
  return true;
}

// ---- Who takes them ----

Node* Team::take(Worker& worker) {
  look_again_at_ = 0;
  if (worker.is_away()) return nullptr;
  const auto take_at_hand = [&](auto source) { return take_from(worker, source); };
  if (Node* const node = policy::first_of<policy::is_at_hand>(take_at_hand)) return node;
  return look_around(worker);
}

// Of the places of a worker: a simulated deque has room for all, stolen tasks stay there, and no task has a priority.
Node* Team::take_from(Worker& worker, policy::Source source) {
  std::deque<Node*>& ready = domains_[static_cast<std::size_t>(worker.domain)].ready;
  switch (source) {
    case policy::Source::next: return std::exchange(worker.next, nullptr);
    case policy::Source::mailbox: return take_front(worker.mailbox);
    case policy::Source::turn: return policy::is_turn_of_inbox(++worker.looked) ? take_front(ready) : nullptr;
    case policy::Source::deque: break;
    case policy::Source::inbox: return take_front(ready);
    default: return nullptr;
  }
  if (worker.deque.empty()) return nullptr;
  worker.deque_changed = clock_.now();
  const Frame& waits = worker.frames.back();
  policy::Taker taker;
  taker.in_task = waits.node != nullptr;
  taker.keeps_order = waits.keeps_order && worker.deque_end == waits.deque_end;
  if (policy::which_to_take(taker) == policy::Oldness::oldest) return take_front(worker.deque);
  Node* const node = worker.deque.back();
  worker.deque.pop_back();
  --worker.deque_end;
  return node;
}

Node* Team::look_around(Worker& worker) {
  if (Node* const node = steal_in(worker, worker.domain)) return node;
  const std::uint64_t searched = worker.idle ? clock_.now() - worker.idle_since : 0;
  const auto far_after = static_cast<std::uint64_t>(options_.far_after) * 1000;
  const bool far = policy::may_steal_far({options_.policy, searched, far_after});
  for (int i = 1; i < static_cast<int>(domains_.size()); ++i) {
    const int domain = (worker.domain + i) % static_cast<int>(domains_.size());
    DomainQueue& of = domains_[static_cast<std::size_t>(domain)];
    const auto has_task = [&](int index) { return has_visible_task(*workers_[static_cast<std::size_t>(index)]); };
    if (!far) {
      const bool there = !of.ready.empty() || std::any_of(of.workers.begin(), of.workers.end(), has_task);
      if (options_.policy != Policy::near || !there) continue;
      const std::uint64_t since = worker.idle ? worker.idle_since : clock_.now();
      look_again_at_ = std::max(clock_.now() + 1, since + far_after);
      continue;
    }
    if (Node* const node = take_front(of.ready)) return node;
    if (Node* const node = steal_in(worker, domain)) return node;
  }
  return nullptr;
}

Node* Team::steal_in(Worker& worker, int domain) {
  const std::vector<int>& victims = domains_[static_cast<std::size_t>(domain)].workers;
  worker.random = policy::next_random(worker.random);
  return policy::ask_round(worker.random, static_cast<std::uint32_t>(victims.size()), [&](std::uint32_t at) {
    Worker& victim = *workers_[static_cast<std::size_t>(victims[at])];
    return &victim == &worker ? nullptr : steal_from(worker, victim);
  });
}

// Half of its deque, the oldest first; of few tasks only when they have lain there for a while.
Node* Team::steal_from(Worker& worker, Worker& victim) {
  const policy::Victim seen{static_cast<std::uint32_t>(victim.deque.size()), victim.grain_ns};
  if (seen.items == 0) return take_front(victim.mailbox);
  if (policy::needs_second_look(seen)) {
    const std::uint64_t lies_until = victim.deque_changed + (policy::is_tiny(seen) ? policy::kTinyNs : policy::kLoneNs);
    if (clock_.now() < lies_until) {
      look_again_at_ = look_again_at_ == 0 ? lies_until : std::min(look_again_at_, lies_until);
      return nullptr;
    }
  }
  ++steals_;
  const std::size_t count = std::min<std::size_t>((victim.deque.size() + 1) / 2, kMostStolen);
  Node* const first = take_front(victim.deque);
  std::vector<Node*> others;
  for (std::size_t i = 1; i < count; ++i) others.push_back(take_front(victim.deque));
  for (auto at = others.rbegin(); at != others.rend(); ++at) push(worker, **at);
  victim.deque_changed = clock_.now();
  return first;
}

bool Team::has_visible_task(const Worker& worker) noexcept { return !worker.deque.empty() || !worker.mailbox.empty(); }

// ---- Who rests, and who is woken ----

void Team::rest(Worker& worker) {
  if (!worker.idle) {
    worker.idle = true;
    worker.idle_since = clock_.now();
    ++(worker.is_away() ? away_ : idle_);
  }
  if (look_again_at_ != 0) clock_.go_on(worker, look_again_at_);
}

void Team::stop_resting(Worker& worker) {
  if (!std::exchange(worker.idle, false)) return;
  worker.time.idle += clock_.now() - worker.idle_since;
  --(worker.is_away() ? away_ : idle_);
}

void Team::wake(Worker& worker) {
  const auto park_after = static_cast<std::uint64_t>(options_.park_after) * 1000;
  worker.woken = true;
  clock_.go_on(worker, clock_.now() + (clock_.now() - worker.idle_since > park_after ? kWakeNs : kFindNs));
}

// One that rests, of that domain if there is one.
void Team::wake_one(int domain) {
  Worker* found = nullptr;
  for (const auto& each : workers_) {
    const bool rests = each->idle && !each->woken && !each->is_away();
    if (!rests || (each->domain != domain && options_.policy == Policy::numa)) continue;
    if (each->domain == domain) {
      found = each.get();
      break;
    }
    if (found == nullptr) found = each.get();
  }
  if (found != nullptr) wake(*found);
}

}  // namespace weir::sim
