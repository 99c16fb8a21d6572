// SPDX-License-Identifier: Apache-2.0

// What advice is made from: a machine and a program as values, which a test writes down by hand. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "machine/cost_model.hpp"
#include "machine/machine.hpp"
#include "sim/program.hpp"

namespace weir::tool::advise {

// All memory nodes of a kind together, each as seen from the cores that it is local to.
struct KindFacts {
  machine::MemoryKind kind = machine::MemoryKind::ddr;
  int nodes = 1;
  Bytes capacity, side_cache;
  double read_gb_per_s = 0, write_gb_per_s = 0;
  double latency_ns = 0;  // the least
};

struct MachineFacts {
  std::string name;
  bool is_this_system = true;
  int domains = 1, cores = 1, workers = 1;  // workers: as many as a runtime starts by itself
  double cpu_quota = 0;                     // 0: no limit
  machine::CostSource source = machine::CostSource::typical;
  std::vector<KindFacts> kinds;  // of memory that the process may use, in the order of tiers as the first domain has it

  const KindFacts* kind(machine::MemoryKind wanted) const;
};
MachineFacts facts_of(const machine::Machine& machine, const std::string& name);

// Of all tasks of one name.
struct TaskUse {
  std::string name;
  std::uint64_t tasks = 0, bytes = 0;  // of all their footprints
};

// Of all blocks of one name.
struct BlockUse {
  std::string name;
  std::uint64_t blocks = 0, bytes = 0;  // their size
  std::uint64_t used = 0;               // bytes of them in footprints: how hot they are is this by their size
};

struct ProgramFacts {
  std::string name;
  bool traced = false;
  int workers = 1;
  double seconds = 0;
  std::uint64_t tasks = 0;
  std::uint64_t block_bytes = 0;         // of all blocks
  std::uint64_t other_bytes = 0;         // of memory of the program's own that footprints name
  std::uint64_t footprint_bytes = 0;     // of all tasks together
  std::vector<TaskUse> task_names;       // most bytes first
  std::vector<BlockUse> block_names;     // hottest first
  std::vector<std::string> findings;     // of the report on the trace
  std::uint64_t peak_bytes = 0;          // of a run: the most that was in memory; 0: not run
  int threads = 1;                       // of a run: the most there were
  std::uint64_t working_set() const;     // bytes that have to be somewhere
  std::uint64_t bytes_per_task() const;  // 0: no task
};
ProgramFacts facts_of(const sim::Program& program, const std::string& name);

}  // namespace weir::tool::advise
