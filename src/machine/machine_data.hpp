// SPDX-License-Identifier: Apache-2.0

// What a Machine holds: filled by read_topology.cpp, completed by finish(), then never changed.
#pragma once

#include <map>
#include <vector>

#include "machine/machine.hpp"

namespace weir::machine {

struct Machine::Data {
  bool is_this_system = false;
  std::vector<Domain> domains;
  std::vector<MemoryNode> memory_nodes;
  double cpu_quota = 0;
  Bytes last_level_cache;
  Bytes all_last_level_caches;
  int online_cpus = 0;       // hardware threads of the machine
  int allowed_cpus = 0;      // of them, those that the cgroup's cpuset allows
  std::map<int, int> tiles;  // by the first usable CPU of a core: its second-level cache, where that is known
  std::string cpu_model;     // empty when not known
  std::vector<std::vector<double>> domain_distance;  // [from][to], 1 within a domain
  std::vector<std::vector<double>> node_distance;    // [domain][node], 1 for local memory
  // Made by finish().
  std::vector<std::vector<MemoryNodeId>> tiers;  // [domain]
};

// Computes what follows from the rest, the order of tiers. To be called after costs have changed.
void finish(Machine::Data& data);

}  // namespace weir::machine
