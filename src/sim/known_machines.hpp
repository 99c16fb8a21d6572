// SPDX-License-Identifier: Apache-2.0

// Machines that can be simulated by name, with what their memory costs. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "machine/machine.hpp"

namespace weir::sim {

// Of a memory node as seen from the cores that it is local to.
struct KnownNode {
  machine::MemoryKind kind;
  double gb_per_s;  // read
  double latency_ns;
  std::uint64_t side_cache = 0;  // bytes of memory that caches it
};

struct KnownMachine {
  const char* name;
  const char* description;  // hwloc's synthetic form
  const char* about;
  std::vector<KnownNode> nodes;  // of the description's memory nodes in turn
  double remote = 0.8;           // of the bandwidth, from other domains
  double remote_ns = 30;         // more latency, from there
};
const std::vector<KnownMachine>& known_machines();

// A machine by one of these names, by an hwloc synthetic string or by an XML file: as Machine::from_description(),
// whose error lists the names, too.
base::Result<machine::Machine> find_machine(const std::string& text);

}  // namespace weir::sim
