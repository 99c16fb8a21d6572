// SPDX-License-Identifier: Apache-2.0

// Which limits keep this process from the whole machine, in words: a person looks here when cores are missing.
//
// Only masks and quotas limit; SLURM's variables are read to tell when SLURM granted less than it enforces.
#pragma once

#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace weir::machine {

struct Limits {
  int online_cpus = 0;               // hardware threads of the system
  int allowed_cpus = 0;              // of them, in the cgroup's cpuset
  int usable_cpus = 0;               // of them, in the affinity mask
  double cpu_quota = 0;              // cores' worth of time; 0: none
  Bytes memory;                      // that the process may still use, where less than the machine has
  std::string memory_by;             // what keeps it from more; "": nothing does
  std::vector<int> forbidden_nodes;  // the kernel's numbers of memory nodes outside the cpuset
  int slurm_cpus = 0;                // SLURM_CPUS_PER_TASK, else SLURM_CPUS_ON_NODE; 0: neither is set
  std::string slurm_variable;        // which of them
};

// Of the machine as discovered; reads the environment.
Limits limits_of(const Machine& machine);

// One line for each limit in force; none when the process has the whole machine.
std::vector<std::string> explain(const Limits& limits);

}  // namespace weir::machine
