// SPDX-License-Identifier: Apache-2.0

// From an hwloc topology to a Machine's data. The only place that knows how hwloc shows memory.
#pragma once

#include <hwloc.h>

#include <memory>
#include <mutex>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "machine/machine_data.hpp"

namespace weir::machine {

struct TopologyDeleter {
  void operator()(hwloc_topology* topology) const noexcept { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

// Held by whoever uses hwloc. fork() waits until nobody does, so that a child can use it: hwloc has locks of its own.
extern constinit base::Mutex hwloc_mutex;

// An initialised topology that keeps what the cgroup disallows, so that a machine looks the same from any cpuset.
// Null when hwloc fails. `flags`: of hwloc, in addition. The caller chooses the source and loads it.
Topology new_topology(unsigned long flags = 0);

// `usable_cpus`: CPUs the process may run on; null, or a topology that is not this system: all that it allows.
// Fails with bad_input when no core is left, or no memory.
base::Result<Machine::Data> read_topology(hwloc_topology_t topology, const std::vector<int>* usable_cpus);

}  // namespace weir::machine
