// SPDX-License-Identifier: Apache-2.0

#include "stream/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/joined.hpp"

namespace weir::tool {
namespace {

using machine::Machine;

constexpr int kEach = 16;         // so many threads are measured one by one
constexpr int kForADoubling = 8;  // and so many numbers after that

struct Where {
  std::vector<int> domains;
  std::string memory;
};

std::vector<std::string> node_names(const Machine& machine) {
  std::vector<std::string> names;
  for (const machine::MemoryNode& node : machine.memory_nodes()) {
    if (node.allowed) names.push_back(node.name);
  }
  return names;
}

std::vector<int> domains_of(const Machine& machine, const SweepRequest& request) {
  if (!request.domains.empty()) return request.domains;
  std::vector<int> all;
  for (std::size_t i = 0; i < machine.domains().size(); ++i) all.push_back(int(i));
  return all;
}

std::vector<Where> places_of(const Machine& machine, const SweepRequest& request) {
  std::vector<Where> list;
  if (request.nodes) {
    for (const std::string& node : node_names(machine)) list.push_back({request.domains, node});
  }
  if (request.pairs) {
    for (const int domain : domains_of(machine, request)) {
      for (const std::string& node : node_names(machine)) list.push_back({{domain}, node});
    }
  }
  if (list.empty()) list.push_back({request.domains, request.memory});
  return list;
}

int cores_of(const Machine& machine, const std::vector<int>& domains) {
  std::vector<DomainId> ids;
  for (const int domain : domains) ids.push_back(DomainId(domain));
  return int(machine::place_threads(machine, ids, machine::Placement::compact, 0).size());
}

}  // namespace

std::vector<int> thread_counts(int most) {
  std::vector<int> counts;
  int step = 1;
  for (int count = 1; count < most; count += step) {
    counts.push_back(count);
    if (count >= kEach && count % (kForADoubling * step * 2) == 0) step *= 2;
  }
  counts.push_back(std::max(1, most));
  return counts;
}

std::vector<SweepPoint> points_of(const Machine& machine, const SweepRequest& request) {
  std::vector<SweepPoint> points;
  for (const Where& where : places_of(machine, request)) {
    const int cores = cores_of(machine, where.domains);
    const int most = request.thread_count > 0 ? request.thread_count : cores;
    const std::vector<int> counts = request.threads ? thread_counts(most) : std::vector<int>{most};
    for (const machine::Placement place : request.places) {
      for (const machine::Stores stores : request.stores) {
        for (const int count : counts) points.push_back({place, where.domains, where.memory, stores, count});
      }
    }
  }
  return points;
}

std::string where_text(const SweepPoint& point) {
  const std::string memory = point.memory.empty() ? "own memory" : point.memory;
  if (point.domains.empty()) return memory;
  return fmt::format("domain{} {}, {}", point.domains.size() == 1 ? "" : "s", base::joined(point.domains, ","), memory);
}

}  // namespace weir::tool
