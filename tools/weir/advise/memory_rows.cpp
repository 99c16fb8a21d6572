// SPDX-License-Identifier: Apache-2.0

#include "memory_rows.hpp"

#include <algorithm>
#include <functional>

#include "decide.hpp"
#include "machine/cost_model.hpp"

namespace weir::tool::advise {

namespace {

using machine::CostModel;
using machine::Machine;
using machine::MemoryKind;
using machine::MemoryNode;

// Bytes [domain][node]: what the threads of each domain have in each memory node.
using Pages = std::vector<std::vector<double>>;

class Placer {
 public:
  Placer(const Machine& machine, std::uint64_t bytes, const std::vector<double>& share)
      : machine_(machine), pages_(machine.domains().size(), std::vector<double>(machine.memory_nodes().size())) {
    for (const MemoryNode& node : machine.memory_nodes())
      room_.push_back(node.allowed ? static_cast<double>(node.capacity.count) : 0);
    for (const double part : share) left_.push_back(part * static_cast<double>(bytes));
  }

  // Page after page on another of them, until they are full.
  void spread(const std::vector<std::size_t>& nodes) {
    for (std::vector<std::size_t> open = with_room(nodes); !open.empty(); open = with_room(nodes)) {
      const double all = left();
      if (all < 1) return;
      double each = all / static_cast<double>(open.size());
      for (const std::size_t node : open) each = std::min(each, room_[node]);
      for (const std::size_t node : open)
        for (std::size_t domain = 0; domain < left_.size(); ++domain) put(domain, node, each * left_[domain] / all);
      for (double& rest : left_) rest -= rest * each * static_cast<double>(open.size()) / all;
    }
  }

  // The nearest with room, for each domain in its own order.
  void nearest(const std::function<bool(const MemoryNode&)>& wanted) {
    for (std::size_t domain = 0; domain < left_.size(); ++domain) {
      for (const MemoryNodeId id : by_distance(domain)) {
        const auto node = static_cast<std::size_t>(id);
        if (!wanted(machine_.memory_node(id))) continue;
        const double bytes = std::min(left_[domain], room_[node]);
        put(domain, node, bytes);
        left_[domain] -= bytes;
      }
    }
  }

  const Pages& pages() const { return pages_; }

 private:
  double left() const {
    double sum = 0;
    for (const double bytes : left_) sum += bytes;
    return sum;
  }
  std::vector<std::size_t> with_room(const std::vector<std::size_t>& nodes) const {
    std::vector<std::size_t> open;
    for (const std::size_t node : nodes)
      if (room_[node] >= 1) open.push_back(node);
    return open;
  }
  void put(std::size_t domain, std::size_t node, double bytes) {
    pages_[domain][node] += bytes;
    room_[node] -= bytes;
  }
  std::vector<MemoryNodeId> by_distance(std::size_t domain) const {
    std::vector<MemoryNodeId> ids = machine_.domains()[domain].local_nodes;
    for (const MemoryNodeId id : machine_.tiers(DomainId(domain)))
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    return ids;
  }

  const Machine& machine_;
  std::vector<double> room_, left_;
  Pages pages_;
};

bool is_fast(const MemoryNode& node) { return node.kind == MemoryKind::hbm; }
bool is_ordinary(const MemoryNode& node) { return node.kind == MemoryKind::ddr; }
bool is_any(const MemoryNode&) { return true; }

std::vector<std::size_t> nodes_that(const Machine& machine, bool (*wanted)(const MemoryNode&)) {
  std::vector<std::size_t> nodes;
  for (const MemoryNode& node : machine.memory_nodes())
    if (node.allowed && wanted(node)) nodes.push_back(static_cast<std::size_t>(node.id));
  return nodes;
}

Pages pages_of(const Machine& machine, const std::string& mode, std::uint64_t bytes, const std::vector<double>& share) {
  Placer placer(machine, bytes, share);
  if (mode == "fast") placer.spread(nodes_that(machine, is_fast));
  if (mode == "local-fast") placer.nearest(is_fast);
  if (mode == "interleave") placer.spread(nodes_that(machine, is_any));
  placer.nearest(is_ordinary);
  placer.nearest(is_any);
  return placer.pages();
}

machine::Traffic reads(double bytes) { return {static_cast<std::uint64_t>(bytes), 0}; }

// The slowest core, or the busiest node.
double seconds_for(const CostModel& model, const Pages& pages, const std::vector<double>& threads) {
  double longest = 0;
  for (std::size_t domain = 0; domain < pages.size(); ++domain) {
    double core = 0;
    for (std::size_t node = 0; node < model.nodes() && threads[domain] > 0; ++node)
      core += model.in_place_seconds(node, DomainId(domain), reads(pages[domain][node] / threads[domain]));
    longest = std::max(longest, core);
  }
  for (std::size_t node = 0; node < model.nodes(); ++node) {
    double busy = 0;
    for (std::size_t domain = 0; domain < pages.size(); ++domain)
      busy += model.busy_seconds(node, DomainId(domain), reads(pages[domain][node]));
    longest = std::max(longest, busy);
  }
  return longest;
}

}  // namespace

std::vector<MemoryRow> memory_rows(const Machine& machine, std::uint64_t bytes, int threads) {
  const CostModel model(machine::costs_of(machine));
  const std::size_t domains = machine.domains().size();
  std::vector<double> of_domain(domains), share(domains);
  for (int i = 0; i < threads; ++i) of_domain[static_cast<std::size_t>(i) % domains] += 1;
  for (std::size_t domain = 0; domain < domains; ++domain) share[domain] = of_domain[domain] / threads;
  std::vector<std::string> modes{""};
  if (!nodes_that(machine, is_fast).empty()) modes.insert(modes.end(), {"fast", "local-fast", "ddr"});
  if (nodes_that(machine, is_any).size() > 1) modes.emplace_back("interleave");
  std::vector<MemoryRow> rows;
  for (const std::string& mode : modes) {
    const Pages pages = pages_of(machine, mode, bytes, share);
    MemoryRow row{mode};
    row.threads = threads;
    double fast = 0;
    for (const auto& of : pages)
      for (const std::size_t node : nodes_that(machine, is_fast)) fast += of[node];
    row.fast_bytes = static_cast<std::uint64_t>(fast);
    row.seconds = seconds_for(model, pages, of_domain);
    row.gb_per_s = row.seconds > 0 ? static_cast<double>(bytes) / row.seconds * 1e-9 : 0;
    rows.push_back(std::move(row));
  }
  return rows;
}

int threads_there(int had, int cpus_here, int cores_there) {
  const bool one_a_cpu = had >= cpus_here && had < 2 * cpus_here;  // helpers may be among them
  return one_a_cpu ? cores_there : std::min(had, cores_there);
}

std::size_t best_row(const std::vector<MemoryRow>& rows) {
  double least = rows.front().seconds;
  for (const MemoryRow& row : rows) least = std::min(least, row.seconds);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].seconds <= least * (1 + kTie)) return i;
  return 0;
}

}  // namespace weir::tool::advise
