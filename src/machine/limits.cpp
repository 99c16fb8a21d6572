// SPDX-License-Identifier: Apache-2.0

#include "machine/limits.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/joined.hpp"
#include "machine/machine_data.hpp"
#include "platform/memory_limit.hpp"

namespace weir::machine {

Limits limits_of(const Machine& machine) {
  Limits limits;
  limits.online_cpus = machine.data().online_cpus;
  limits.allowed_cpus = machine.data().allowed_cpus;
  limits.cpu_quota = machine.cpu_quota();
  const platform::MemoryLimit memory = machine.is_this_system() ? platform::memory_limit() : platform::MemoryLimit{};
  if (!memory.limited_by.empty() && memory.limited_by != "the machine") {
    limits.memory = {memory.bytes};
    limits.memory_by = memory.limited_by;
  }
  for (const Domain& domain : machine.domains()) {
    for (const Core& core : domain.cores) limits.usable_cpus += int(core.os_cpus.size());
  }
  for (const MemoryNode& node : machine.memory_nodes()) {
    if (!node.allowed) limits.forbidden_nodes.push_back(node.os_index);
  }
  for (const char* name : {"SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE"}) {
    const char* value = std::getenv(name);
    if (!machine.is_this_system() || value == nullptr || limits.slurm_cpus > 0) continue;
    limits.slurm_cpus = std::atoi(value);
    limits.slurm_variable = name;
  }
  return limits;
}

std::vector<std::string> explain(const Limits& limits) {
  std::vector<std::string> lines;
  if (limits.allowed_cpus < limits.online_cpus) {
    lines.push_back(fmt::format("cgroup cpuset: {} of {} CPUs", limits.allowed_cpus, limits.online_cpus));
  }
  if (limits.usable_cpus < limits.allowed_cpus) {
    lines.push_back(fmt::format("affinity mask (taskset, srun, or a parent's binding): {} of {} CPUs",
                                limits.usable_cpus, limits.allowed_cpus));
  }
  if (limits.cpu_quota > 0)
    lines.push_back(fmt::format("cgroup CPU quota: {:.2f} cores' worth of time", limits.cpu_quota));
  if (!limits.memory_by.empty())
    lines.push_back(fmt::format("memory: {} leaves {} MiB", limits.memory_by, limits.memory.count >> 20));
  if (!limits.forbidden_nodes.empty()) {
    lines.push_back(
        fmt::format("cgroup cpuset: no memory of NUMA node {}", base::joined(limits.forbidden_nodes, ", ")));
  }
  if (limits.slurm_cpus > 0 && limits.slurm_cpus < limits.usable_cpus) {
    lines.push_back(
        fmt::format("{}={}, but the process may use {} CPUs: SLURM has not bound it; start it with "
                    "srun --cpu-bind=cores, or set WEIR_WORKERS={}",
                    limits.slurm_variable, limits.slurm_cpus, limits.usable_cpus, limits.slurm_cpus));
  }
  return lines;
}

}  // namespace weir::machine
