// SPDX-License-Identifier: Apache-2.0

// How tasks of a simulation become ready, begin and end.
#include <algorithm>

#include "base/check.hpp"
#include "sim/simulator.hpp"

namespace weir::sim {

void Simulator::submit(Worker& worker, Node& node) {
  if (node.request != nullptr && !node.asked && !moves_here_ && !ask_for_blocks(worker, node)) return;
  const int wanted = program_.tasks[node.task].domain;
  const bool elsewhere = wanted >= 0 && wanted < static_cast<int>(domains_.size()) && wanted != worker.domain;
  elsewhere ? push_to_domain(node, wanted) : push(worker, node);
}

bool Simulator::ask_for_blocks(Worker& worker, Node& node) {
  node.asked = true;
  return blocks_->ready(*node.request, worker.index, worker.machine_domain);
}

// True: the worker is busy until an event. False: it comes again, or waits for a lock.
bool Simulator::begin(Worker& worker, Node& node) {
  here_ = &worker;
  std::uint64_t at = now_ + program_.dispatch_ns;
  if (node.request != nullptr && !node.begun) {
    if (!node.asked && !ask_for_blocks(worker, node)) return false;
    if (!blocks_->try_begin(*node.request)) return false;
    node.begun = true;
    if (!node.request->failure) {
      failure_ = node.request->failure;
      return true;
    }
    if (node.request->in_place_bytes != 0) {
      const std::uint64_t charged = copies_.use_emulated(now_, node.request->in_place_bytes);
      worker.time.moving += charged - now_;
      at += charged - now_;
    }
  }
  if (!take_locks(node)) return false;
  Frame& frame = worker.frames.emplace_back();
  frame.node = &node;
  const Span& actions = program_.tasks[node.task].actions;
  frame.at = program_.actions.data() + actions.first;
  frame.end = frame.at + actions.count;
  frame.factor = factor_of(worker, node);
  go_on(worker, at);
  return true;
}

// False: it is in the queue of one.
bool Simulator::take_locks(Node& node) {
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
void Simulator::end(Worker& worker, Node& node) {
  ending_.push_back(&node);
  if (std::exchange(ending_now_, true)) return;
  while (!ending_.empty()) {
    Node& last = *ending_.back();
    ending_.pop_back();
    end_one(worker, last);
  }
  ending_now_ = false;
}

void Simulator::end_ready_joins(Worker& worker) {
  std::vector<Node*> joins;
  joins.swap(graph_.ready);
  for (Node* const join : joins) end(worker, *join);
}

void Simulator::end_one(Worker& worker, Node& node) {
  if (node.request != nullptr) blocks_->finish(*node.request);
  if (node.counted) blocks_->end_untracked();
  for (Lock* const lock : node.locks) {
    lock->holder = nullptr;
    if (lock->queue.empty()) continue;
    Node& heir = *lock->queue.front();
    lock->queue.pop_front();
    lock->holder = &heir;
    ++heir.acquired;
    push(worker, heir);
  }
  node.ended = true;
  release(worker, node);
  if (!node.is_join()) --unended_;
  node.request = nullptr;
  if (!program_.edts) node.children = nullptr;
  Scope& scope = *node.around;
  --scope.unfinished;
  if (scope.detached && scope.unfinished == 0 && !program_.edts) ending_.push_back(scope.parent);
  if (Worker& owner = *workers_[static_cast<std::size_t>(scope.owner)]; owner.idle && !owner.woken)
    if (may_go_on(owner, owner.frames.back())) wake(owner);
  if (!node.awaited && unended_ != 0) return;
  for (const auto& each : workers_)
    if (each->idle && !each->woken && may_go_on(*each, each->frames.back())) wake(*each);
}

void Simulator::release(Worker& worker, Node& node) {
  graph_.for_each_successor(node, [&](Node& successor) {
    if (!successor.arrive(worker.index)) return;
    if (successor.is_join()) {
      ending_.push_back(&successor);
      return;
    }
    release_to(worker, successor, successor.home(worker.index));
  });
}

// ---- Time ----

unsigned Simulator::others_in(const Worker& worker) const {
  unsigned others = 0;
  for (const auto& each : workers_) {
    const bool runs = !each->idle && each->frames.back().node != nullptr;
    others += runs && each->index != worker.index && each->machine_domain == worker.machine_domain ? 1 : 0;
  }
  return others;
}

// What its footprint takes to read and write once. `placed`: its blocks are where the engine has them; else in the
// first tier.
double Simulator::memory_ns(const Target& on, const Node& node, DomainId domain, unsigned others, bool placed) const {
  double seconds = 0;
  const ProgramTask& of = program_.tasks[node.task];
  for (std::uint32_t i = of.items.first; i < of.items.first + of.items.count; ++i) {
    const Item& item = program_.items[i];
    auto memory = static_cast<std::size_t>(on.program_memory[static_cast<std::size_t>(domain)]);
    if (item.is_block) {
      const data::engine::NodeId node_id =
          placed ? blocks_->node_of(item.block, node.request.get()) : on.hierarchy.tiers.front().nodes.front();
      if (node_id != data::engine::NodeId::none && on.memory[data::engine::index_of(node_id)] != Target::kFile)
        memory = on.memory[data::engine::index_of(node_id)];
    }
    const std::uint64_t bytes = item.bytes(program_.blocks);
    const bool reads = item.mode != Mode::out, writes = item.mode != Mode::in;
    seconds += on.costs.in_place_seconds(memory, domain, {reads ? bytes : 0, writes ? bytes : 0}, others);
  }
  return seconds * 1e9;
}

// Its time was measured on the source; what it takes there to read and write its footprint once scales with memory.
double Simulator::factor_of(const Worker& worker, const Node& node) const {
  const ProgramTask& of = program_.tasks[node.task];
  if (of.own_ns == 0 || of.items.count == 0) return 1;
  const auto own = static_cast<double>(of.own_ns);
  const double there = memory_ns(source_, node, DomainId{0}, of.beside, false);
  if (there <= 0) return 1;
  const double here = memory_ns(target_, node, worker.machine_domain, others_in(worker), true);
  const double part = std::min(own, there);
  return (own - part + part * here / there) / own;
}

}  // namespace weir::sim
