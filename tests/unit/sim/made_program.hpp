// SPDX-License-Identifier: Apache-2.0

// Programs and targets made by hand, whose times can be computed on paper: no dispatch, one nanosecond a byte.
#pragma once

#include <utility>
#include <vector>

#include "sim/program.hpp"
#include "sim/simulator.hpp"
#include "sim/target.hpp"

namespace weir::sim {

inline constexpr std::uint64_t kPage = 4096;

// Spawned by the first thread, or by a guest, in the order in which they are added.
class MadeProgram {
 public:
  // An object of the program's memory that stands for nothing but order.
  static Item object(std::uintptr_t number, Mode mode) {
    Item item;
    item.mode = mode;
    item.region = {reinterpret_cast<const void*>(4096 * (number + 1)), 8, 1, 0};
    return item;
  }
  static Item block(std::uint32_t number, Mode mode) {
    Item item;
    item.mode = mode;
    item.is_block = true;
    item.block = number;
    return item;
  }

  std::uint32_t add_block(std::uint64_t bytes, bool pinned = false) {
    program_.blocks.push_back({"b" + std::to_string(program_.blocks.size()), bytes, false, false, false, false, {}});
    program_.blocks.back().hint.pinned = pinned;
    const auto block = static_cast<std::uint32_t>(program_.blocks.size() - 1);
    own().push_back({Act::make, block, 0});
    return block;
  }
  std::uint32_t add_task(std::uint64_t ns, const std::vector<Item>& items, std::uint64_t spawn_ns = 0) {
    const auto index = static_cast<std::uint32_t>(program_.tasks.size());
    ProgramTask& task = program_.tasks.emplace_back();
    task.id = index + 1;
    task.own_ns = ns;
    task.actions = store({{Act::compute, 0, ns}});
    task.items = {static_cast<std::uint32_t>(program_.items.size()), static_cast<std::uint32_t>(items.size())};
    program_.items.insert(program_.items.end(), items.begin(), items.end());
    own().push_back({Act::spawn, index, spawn_ns});
    return index;
  }
  void compute(std::uint64_t ns) { own().push_back({Act::compute, 0, ns}); }
  // A guest comes here; what is added until end_guest() is what it does.
  void begin_guest() {
    own_.push_back({Act::start_thread, 1, 0});
    in_guest_ = true;
  }
  void end_guest() { in_guest_ = false; }
  void wait() { own().push_back({Act::wait_children, 0, 0}); }

  // The tasks are EDTs, whose actions are these; each waits for as many slots as they satisfy.
  void set_edts(const std::vector<std::vector<Action>>& actions) {
    program_.edts = true;
    for (std::size_t task = 0; task < actions.size(); ++task) {
      program_.tasks[task].actions = store(actions[task]);
      for (const Action& action : actions[task])
        if (action.act == Act::satisfy) ++program_.tasks[action.subject].slots;
    }
  }

  const Program& finish() {
    program_.threads.push_back({0, store(own_)});
    if (!guest_.empty()) program_.threads.push_back({1, store(guest_), true});
    return program_;
  }

 private:
  Span store(const std::vector<Action>& actions) {
    const Span span{static_cast<std::uint32_t>(program_.actions.size()), static_cast<std::uint32_t>(actions.size())};
    program_.actions.insert(program_.actions.end(), actions.begin(), actions.end());
    return span;
  }

  std::vector<Action>& own() { return in_guest_ ? guest_ : own_; }

  Program program_;
  std::vector<Action> own_, guest_;
  bool in_guest_ = false;
};

// One domain; a byte takes a nanosecond to read or write anywhere.
inline Target made_target(int workers, const std::vector<std::uint64_t>& budgets) {
  const machine::Cost cost{1, 1, 0};
  const std::size_t tiers = budgets.size();
  Target target{
      {}, {}, {}, machine::CostModel(std::vector<std::vector<machine::Cost>>(tiers, {cost})), {MemoryNodeId{0}}, {},
      0,  0,  {}};
  target.worker_domains.assign(static_cast<std::size_t>(workers), DomainId{0});
  auto& seen = target.hierarchy.seen.emplace_back();
  for (std::size_t t = 0; t < tiers; ++t) {
    const bool last = t + 1 == tiers;
    const auto node = static_cast<data::engine::NodeId>(t);
    target.hierarchy.tiers.push_back({last ? "ddr" : "hbm", last, !last, true, false, budgets[t], {node}});
    target.hierarchy.nodes.push_back({last ? "ddr0" : "hbm0", static_cast<data::engine::TierIndex>(t)});
    seen.push_back({static_cast<int>(t), last, true, static_cast<int>(t), 0});
    target.budgets.push_back(budgets[t]);
    target.memory.push_back(t);
  }
  return target;
}

inline Prediction predict(const Program& program, const Target& target, Strategy strategy = Strategy::ahead,
                          Evict evict = Evict::next_use, Chains chains = Chains::off) {
  Options options;
  options.workers = static_cast<int>(target.worker_domains.size());
  options.strategy = strategy;
  options.evict = evict;
  options.chains = chains;
  auto prediction = Simulator(program, target, target, options).run();
  if (!prediction) throw std::runtime_error(prediction.status().message);
  return std::move(*prediction);
}

}  // namespace weir::sim
