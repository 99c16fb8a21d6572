// SPDX-License-Identifier: Apache-2.0

#include "sim/task_time.hpp"

#include <algorithm>
#include <cmath>

namespace weir::sim {

double TaskTime::memory_ns(const Target& on, const Node& node, DomainId domain, unsigned others, bool placed) const {
  double seconds = 0;
  const ProgramTask& of = program_.tasks[node.task];
  for (std::uint32_t i = of.items.first; i < of.items.first + of.items.count; ++i) {
    const Item& item = program_.items[i];
    auto memory = static_cast<std::size_t>(on.program_memory[static_cast<std::size_t>(domain)]);
    if (item.is_tiered(program_.blocks)) {
      const data::engine::NodeId node_id =
          placed ? blocks_.node_of(item.block, node.request.get()) : on.hierarchy.tiers.front().nodes.front();
      if (node_id != data::engine::NodeId::none && on.memory[data::engine::index_of(node_id)] != Target::kFile)
        memory = on.memory[data::engine::index_of(node_id)];
    }
    const std::uint64_t bytes = item.bytes(program_.blocks);
    const bool reads = item.mode != Mode::out, writes = item.mode != Mode::in;
    seconds += on.costs.in_place_seconds(memory, domain, {reads ? bytes : 0, writes ? bytes : 0}, others);
  }
  return seconds * 1e9;
}

double TaskTime::traced_memory_ns(const Node& node) const {
  const ProgramTask& of = program_.tasks[node.task];
  const double beside = std::max((1 + double{of.beside}) * traced_share(of.busy_beside) - 1, 0.0);
  const auto whole = static_cast<unsigned>(beside);
  const double part = beside - whole;
  const double fewer = memory_ns(source_, node, DomainId{0}, whole, false);
  return part == 0 ? fewer : fewer + part * (memory_ns(source_, node, DomainId{0}, whole + 1, false) - fewer);
}

double TaskTime::taken_ns(const ProgramTask& of) const {
  const double workers = 1 + static_cast<double>(of.beside);
  const double crowded = source_.cores == 0 ? 0 : std::clamp(workers + 1 - source_.cores, 0.0, 1.0);
  if (of.copied_beside == 0 || crowded == 0) return 0;
  const auto memory = static_cast<std::size_t>(source_.program_memory.front());
  const auto bytes = static_cast<std::uint64_t>(of.copied_beside);
  return source_.costs.copy_seconds(memory, memory, bytes, {}) * 1e9 * crowded /
         std::min<double>(workers, source_.cores);
}

unsigned TaskTime::others_at_once(unsigned others, unsigned busy) const {
  const double all = (1.0 + others) * core_share(target_.cores, busy);
  return static_cast<unsigned>(std::llround(std::max(all, 1.0))) - 1;
}

double TaskTime::factor_of(const Node& node, DomainId domain, unsigned others) const {
  const ProgramTask& of = program_.tasks[node.task];
  if (of.own_ns == 0) return 1;
  const auto traced = static_cast<double>(of.own_ns);
  const double had = traced - std::min(taken_ns(of), traced / 2);  // a guest has half of a core at most
  const double own = had * traced_share(of.busy_beside);
  const double there = of.items.count == 0 ? 0 : traced_memory_ns(node);
  if (there <= 0) return own / traced;
  const double here = memory_ns(target_, node, domain, others, true);
  const double part = std::min(own, there);
  return (own - part + part * here / there) / traced;
}

}  // namespace weir::sim
