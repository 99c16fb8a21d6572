// SPDX-License-Identifier: Apache-2.0

#include "stand.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace weir::tool {

namespace {

using shmem::Phase;
using Edges = std::map<int, std::set<int>>;

// All PEs have to come there, too.
template <class IsThere>
void wait_for_all(const JobView& job, int pe, IsThere is_there, std::set<int>& others) {
  for (const PeView& other : job.pes) {
    if (other.pe != pe && !is_there(other)) others.insert(other.pe);
  }
}

std::set<int> others_of(const JobView& job, const PeView& pe) {
  std::set<int> others;
  if (pe.phase == Phase::finishing)
    wait_for_all(
        job, pe.pe, [](const PeView& o) { return o.phase == Phase::finishing || o.phase == Phase::left; }, others);
  for (const WaitView& wait : pe.waits) {
    others.insert(wait.missing.begin(), wait.missing.end());
    if (wait.pe >= 0 && wait.pe != pe.pe) others.insert(wait.pe);
  }
  return others;
}

// The shortest way from a PE back to itself.
std::vector<int> circle_through(int start, const Edges& edges) {
  std::map<int, int> came_from;
  std::deque<int> open{start};
  while (!open.empty()) {
    const int pe = open.front();
    open.pop_front();
    const auto found = edges.find(pe);
    if (found == edges.end()) continue;
    for (const int next : found->second) {
      if (next == start) {
        std::vector<int> circle{pe};
        while (circle.back() != start) circle.push_back(came_from[circle.back()]);
        std::reverse(circle.begin(), circle.end());
        return circle;
      }
      if (came_from.emplace(next, pe).second) open.push_back(next);
    }
  }
  return {};
}

std::vector<int> waiters_of(int root, const Edges& waited_by) {
  std::set<int> seen{root};
  std::deque<int> open{root};
  while (!open.empty()) {
    const auto found = waited_by.find(open.front());
    open.pop_front();
    if (found == waited_by.end()) continue;
    for (const int pe : found->second) {
      if (seen.insert(pe).second) open.push_back(pe);
    }
  }
  seen.erase(root);
  return {seen.begin(), seen.end()};
}

}  // namespace

Stand stand_of(const JobView& job) {
  Stand stand;
  Edges edges, waited_by;
  for (const PeView& pe : job.pes) {
    const std::set<int> others = others_of(job, pe);
    stand.waits_for.emplace_back(others.begin(), others.end());
    if (!others.empty()) edges.emplace(pe.pe, others);
    for (const int other : others) waited_by[other].insert(pe.pe);
  }
  for (const auto& [pe, waiters] : waited_by) {
    if (edges.count(pe) == 0) stand.roots.push_back({pe, waiters_of(pe, waited_by)});
  }
  std::stable_sort(stand.roots.begin(), stand.roots.end(),
                   [](const Root& a, const Root& b) { return a.waiters.size() > b.waiters.size(); });
  for (const auto& [pe, others] : edges) {
    std::vector<int> circle = circle_through(pe, edges);
    if (!circle.empty() && (stand.cycle.empty() || circle.size() < stand.cycle.size())) stand.cycle = std::move(circle);
  }
  return stand;
}

}  // namespace weir::tool
