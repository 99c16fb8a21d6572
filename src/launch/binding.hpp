// SPDX-License-Identifier: Apache-2.0

// Which cores and which memory each rank of a host gets: a rule, from a machine and a number of ranks.
//
// Neighbouring ranks are near each other. A rank has cores of one domain only where there are as many ranks as domains;
// with fewer, it has whole domains. Domains get ranks in proportion to their cores. In a domain of more ranks than
// cores all share its cores, among which the kernel balances. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace weir::launch {

enum class BindRanks : std::uint8_t {
  cores,    // each rank has cores of its own where there are enough
  domains,  // all cores of its domains, with the other ranks there
  none      // all that the job has
};

struct Share {
  std::vector<int> os_cpus;         // ascending; never empty
  std::vector<DomainId> domains;    // of these; never empty
  std::vector<MemoryNodeId> nodes;  // local to these domains and allowed, each once
};

// One for each rank; at least one rank.
std::vector<Share> shares(const machine::Machine& machine, std::uint32_t ranks, BindRanks bind);

// Whether some CPU belongs to more than one rank.
bool overlap(std::span<const Share> shares);

// Cores' worth of CPU time that all ranks have together: of the machine or of a cgroup's quota, at least 1.
std::uint32_t cores_of_job(const machine::Machine& machine);

// For people: "0-3,8" of ascending numbers.
std::string shown(std::span<const int> os_cpus);
// "CPUs 0-3 of domain0 (memory ddr0, hbm0)"
std::string shown(const Share& share, const machine::Machine& machine);

}  // namespace weir::launch
