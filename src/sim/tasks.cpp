// SPDX-License-Identifier: Apache-2.0

#include "sim/tasks.hpp"

#include <utility>

namespace weir::sim {

void Tasks::name_blocks(Worker& worker, Node& node) {
  const ProgramTask& of = program_.tasks[node.task];
  const std::span<const Item> items(program_.items.data() + of.items.first, of.items.count);
  bool some = false;
  for (const Item& item : items) {
    if (!item.is_tiered(program_.blocks)) continue;
    some = true;
    note(blocks_.make(item.block, worker.machine_domain, false));
  }
  if (!some || !failure_) return;
  if (!blocks_.tracked()) {
    node.counted = true;
    return blocks_.begin_untracked();
  }
  blocks_.add(node, items, team_.machine_domain(team_.has_domain(of.domain) ? of.domain : worker.domain));
}

// Of those that were made after the first block that did not fit in the first tier.
template <class Wanted>
void Tasks::name_early(Worker& worker, Node& node, Wanted&& wanted) {
  if (!node.tracked || !failure_) return;
  const ProgramTask& of = program_.tasks[node.task];
  for (std::uint32_t i = of.items.first; i < of.items.first + of.items.count; ++i) {
    const Item& item = program_.items[i];
    if (!item.is_tiered(program_.blocks) || !wanted(item)) continue;
    note(blocks_.make(item.block, worker.machine_domain, false));
    if (!failure_) return;
    blocks_.add(node, item, of.items.count,
                team_.machine_domain(team_.has_domain(of.domain) ? of.domain : worker.domain));
  }
}

void Tasks::name_given(Worker& worker, Node& node) {
  node.tracked = blocks_.tracked();
  name_early(worker, node, [](const Item& item) { return !item.by_slot; });
}

void Tasks::name_satisfied(Worker& worker, Node& node, std::uint32_t block) {
  name_early(worker, node, [block](const Item& item) { return item.block == block; });
}

void Tasks::submit(Worker& worker, Node& node) {
  if (node.request != nullptr && !node.asked && !movers_.workers_move() && !ask_for_blocks(worker, node)) return;
  const int wanted = program_.tasks[node.task].domain;
  const bool elsewhere = team_.has_domain(wanted) && wanted != worker.domain;
  elsewhere ? team_.push_to_domain(node, wanted) : team_.push(worker, node);
}

void Tasks::make_next(Worker& worker, Node& node) {
  const bool plain = node.request == nullptr && program_.tasks[node.task].domain < 0 && node.locks.empty();
  plain ? team_.make_next(worker, node) : submit(worker, node);
}

bool Tasks::ask_for_blocks(Worker& worker, Node& node) {
  node.asked = true;
  return blocks_.ready(*node.request, worker.index, worker.machine_domain);
}

bool Tasks::begin(Worker& worker, Node& node, double share) {
  movers_.act_for(worker);
  const double dispatch_ns = static_cast<double>(program_.dispatch_ns) * traced_share(&node) / share;
  std::uint64_t at = clock_.now() + static_cast<std::uint64_t>(dispatch_ns);
  if (node.request != nullptr && !node.begun) {
    if (!node.asked && !ask_for_blocks(worker, node)) return false;
    if (!blocks_.try_begin(*node.request)) return false;
    node.begun = true;
    if (!node.request->failure) {
      note(node.request->failure);
      return true;
    }
    if (node.request->in_place_bytes != 0) {
      const std::uint64_t charged = movers_.copies().use_emulated(clock_.now(), node.request->in_place_bytes);
      worker.time.moving += charged - clock_.now();
      at += charged - clock_.now();
    }
  }
  if (!take_locks(node)) return false;
  Frame& frame = worker.frames.emplace_back();
  frame.node = &node;
  const Span& actions = program_.tasks[node.task].actions;
  frame.at = program_.actions.data() + actions.first;
  frame.end = frame.at + actions.count;
  clock_.go_on(worker, at);
  return true;
}

void Tasks::set_factor(const Worker& worker, Frame& frame) const {
  if (frame.node == nullptr) {
    frame.factor = traced_share(frame);
    return;
  }
  const unsigned others = time_.others_at_once(team_.others_in(worker), team_.busy());
  if (frame.others == others) return;
  frame.others = others;
  frame.factor = time_.factor_of(*frame.node, worker.machine_domain, others);
}

// False: it is in the queue of one.
bool Tasks::take_locks(Node& node) {
  while (node.acquired < node.locks.size()) {
    Lock& lock = *node.locks[node.acquired];
    if (lock.holder != nullptr && lock.holder != &node) {
      lock.queue.push_back(&node);
      return false;
    }
    lock.holder = &node;
    ++node.acquired;
  }
  return true;
}

// A chain of parents and joins takes no stack.
void Tasks::end(Worker& worker, Node& node) {
  ending_.push_back(&node);
  if (std::exchange(is_ending_, true)) return;
  while (!ending_.empty()) {
    Node& last = *ending_.back();
    ending_.pop_back();
    end_one(worker, last);
  }
  is_ending_ = false;
}

void Tasks::end_ready_joins(Worker& worker) {
  std::vector<Node*> joins;
  joins.swap(graph_.ready);
  for (Node* const join : joins) end(worker, *join);
}

void Tasks::give_blocks_back(Node& node) {
  if (node.request != nullptr) blocks_.finish(*node.request);
  node.request = nullptr;
  if (std::exchange(node.counted, false)) blocks_.end_untracked();
}

void Tasks::end_one(Worker& worker, Node& node) {
  give_blocks_back(node);
  for (Lock* const lock : node.locks) {
    lock->holder = nullptr;
    if (lock->queue.empty()) continue;
    Node& heir = *lock->queue.front();
    lock->queue.pop_front();
    lock->holder = &heir;
    ++heir.acquired;
    team_.push(worker, heir);
  }
  node.ended = true;
  release(worker, node);
  if (!node.is_join()) --unended_;
  if (!program_.edts) node.children = nullptr;
  Scope& scope = *node.around;
  --scope.unfinished;
  if (scope.detached && scope.unfinished == 0 && !program_.edts && !scope.parent->late) ending_.push_back(scope.parent);
  if (Worker& owner = team_.worker(scope.owner); owner.idle && !owner.woken)
    if (may_go_on(owner, owner.frames.back())) team_.wake(owner);
  if (!node.awaited && unended_ != 0) return;
  for (const auto& each : team_.workers())
    if (each->idle && !each->woken && may_go_on(*each, each->frames.back())) team_.wake(*each);
}

void Tasks::release(Worker& worker, Node& node) {
  graph_.for_each_successor(node, [&](Node& successor) {
    if (!successor.arrive(worker.index)) return;
    if (successor.is_join()) {
      ending_.push_back(&successor);
      return;
    }
    if (!team_.try_mail(worker, successor, successor.home(worker.index))) make_next(worker, successor);
  });
}

// ---- What a frame waits for ----

const Scope* Tasks::find_children(const Worker& worker, const Frame& frame) {
  return frame.node != nullptr ? frame.node->children.get() : worker.own_children.get();
}

bool Tasks::may_go_on(const Worker& worker, const Frame& frame) const {
  const Scope* const children = find_children(worker, frame);
  switch (frame.waits) {
    case Waits::nothing: return true;
    case Waits::children: return program_.edts || children == nullptr || children->unfinished == 0;
    case Waits::room:
      return sched::policy::spawns_again(frame.room, children->unfinished, Team::has_some_at_hand(worker));
    case Waits::task: return frame.awaited->ended;
    case Waits::all: return unended_ == 0;
    case Waits::ever: return false;
  }
  return true;
}

}  // namespace weir::sim
