// SPDX-License-Identifier: Apache-2.0

#include "launch/binding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "base/joined.hpp"

namespace weir::launch {

namespace {

using machine::Core;
using machine::Domain;
using machine::Machine;

// Where part `index` of `parts` begins among `count` things.
std::size_t bound(std::size_t index, std::size_t parts, std::size_t count) { return index * count / parts; }

void add_cores(Share& share, std::span<const Core> cores) {
  for (const Core& core : cores) share.os_cpus.insert(share.os_cpus.end(), core.os_cpus.begin(), core.os_cpus.end());
}

void add_domain(Share& share, const Domain& domain, const Machine& machine) {
  share.domains.push_back(domain.id);
  for (const MemoryNodeId node : domain.local_nodes) {
    const bool is_new = std::find(share.nodes.begin(), share.nodes.end(), node) == share.nodes.end();
    if (is_new && machine.memory_node(node).allowed) share.nodes.push_back(node);
  }
}

Share whole_domains(const Machine& machine, std::size_t first, std::size_t end) {
  Share share;
  for (std::size_t i = first; i < end; ++i) {
    const Domain& domain = machine.domains()[i];
    add_domain(share, domain, machine);
    add_cores(share, domain.cores);
  }
  return share;
}

// How many ranks each domain has: at least one, and the next always where it finds the most cores for each. So none has
// more ranks than cores while another has fewer.
std::vector<std::size_t> ranks_of_domains(const Machine& machine, std::size_t ranks) {
  const auto& domains = machine.domains();
  std::vector<std::size_t> result(domains.size(), 1);
  const auto has_less_room = [&](std::size_t a, std::size_t b) {
    return domains[a].cores.size() * (result[b] + 1) < domains[b].cores.size() * (result[a] + 1);
  };
  for (std::size_t given = domains.size(); given < ranks; ++given) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < domains.size(); ++i) {
      if (has_less_room(best, i)) best = i;
    }
    ++result[best];
  }
  return result;
}

void share_domain(const Machine& machine, std::size_t index, std::size_t ranks, BindRanks bind,
                  std::vector<Share>& shares) {
  const std::span<const Core> cores = machine.domains()[index].cores;
  const bool together = bind == BindRanks::domains || ranks > cores.size();
  for (std::size_t i = 0; i < ranks; ++i) {
    Share share;
    add_domain(share, machine.domains()[index], machine);
    const std::size_t first = bound(i, ranks, cores.size()), end = bound(i + 1, ranks, cores.size());
    add_cores(share, together ? cores : cores.subspan(first, end - first));
    shares.push_back(std::move(share));
  }
}

}  // namespace

std::vector<Share> shares(const Machine& machine, std::uint32_t ranks, BindRanks bind) {
  WEIR_CHECK(ranks > 0, "a job has at least one rank");
  const std::size_t domains = machine.domains().size();
  std::vector<Share> result;
  if (bind == BindRanks::none) {
    result.assign(ranks, whole_domains(machine, 0, domains));
  } else if (ranks <= domains) {
    for (std::size_t i = 0; i < ranks; ++i)
      result.push_back(whole_domains(machine, bound(i, ranks, domains), bound(i + 1, ranks, domains)));
  } else {
    const std::vector<std::size_t> ranks_of = ranks_of_domains(machine, ranks);
    for (std::size_t i = 0; i < domains; ++i) share_domain(machine, i, ranks_of[i], bind, result);
  }
  for (Share& share : result) std::sort(share.os_cpus.begin(), share.os_cpus.end());
  return result;
}

bool overlap(std::span<const Share> shares) {
  std::vector<int> all;
  for (const Share& share : shares) all.insert(all.end(), share.os_cpus.begin(), share.os_cpus.end());
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

std::uint32_t cores_of_job(const Machine& machine) {
  return static_cast<std::uint32_t>(machine.default_worker_count());
}

std::string shown(std::span<const int> os_cpus) {
  std::string text;
  for (std::size_t i = 0; i < os_cpus.size();) {
    std::size_t last = i;
    while (last + 1 < os_cpus.size() && os_cpus[last + 1] == os_cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", os_cpus[i]) : fmt::format("{}-{}", os_cpus[i], os_cpus[last]);
    i = last + 1;
  }
  return text;
}

std::string shown(const Share& share, const Machine& machine) {
  std::vector<std::string> domains, nodes;
  for (const DomainId id : share.domains) domains.push_back(machine.domain(id).name);
  for (const MemoryNodeId id : share.nodes) nodes.push_back(machine.memory_node(id).name);
  return fmt::format("CPUs {} of {} (memory {})", shown(share.os_cpus), base::joined(domains, ", "),
                     base::joined(nodes, ", "));
}

}  // namespace weir::launch
