// SPDX-License-Identifier: Apache-2.0

#include "machine/discover.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

#include "machine/description.hpp"
#include "machine/machine_data.hpp"
#include "machine/measured_file.hpp"
#include "machine/read_topology.hpp"
#include "platform/affinity.hpp"
#include "platform/cgroup.hpp"
#include "platform/pages.hpp"

namespace weir::machine {
namespace {

// It is not called when HWLOC_XMLFILE or HWLOC_SYNTHETIC make hwloc read another machine.
void complete_from_kernel(Machine::Data& data) {
  data.cpu_quota = platform::cpu_quota();
  // Under a memory balloon the node's figure lags behind the system's.
  if (data.memory_nodes.size() == 1) {
    data.memory_nodes[0].capacity = std::max(data.memory_nodes[0].capacity, platform::total_memory());
  }
}

// hwloc asks each processor what it is by running on it, and waits there for as long as other programs keep that one
// busy: seconds, where they have more weight. So it does only where the system does not tell of caches, as some
// virtual machines' do not.
Topology load_this_system() {
  for (const unsigned long flags : {static_cast<unsigned long>(HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING), 0ul}) {
    Topology topology = new_topology(flags);
    if (!topology || hwloc_topology_load(topology.get()) != 0) return nullptr;
    if (flags == 0 || hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_L1CACHE) > 0) return topology;
  }
  return nullptr;
}

using Mask = std::optional<std::vector<int>>;  // none: all that the cpuset allows

base::Result<Machine> read_this_system(const Mask& usable_cpus) {
  const Topology topology = load_this_system();
  if (!topology) {
    return base::Status{base::Code::unsupported,
                        "hwloc cannot read this system's topology; are /proc and /sys mounted?"};
  }
  base::Result<Machine::Data> read = read_topology(topology.get(), usable_cpus ? &*usable_cpus : nullptr);
  if (!read)
    return base::Status{base::Code::unsupported,
                        "this system: " + read.status().message + "; are /proc and /sys mounted?"};
  Machine::Data data = std::move(read).value();
  if (data.is_this_system) complete_from_kernel(data);
  finish(data);
  Machine machine(std::make_shared<const Machine::Data>(std::move(data)));
  const auto measured = load_measured(machine);
  return measured ? machine.with_measured(*measured) : machine;
}

base::Result<Machine> discover_for(Mask usable_cpus) {
  using ByMask = std::map<Mask, Machine>;
  static constinit ByMask* known WEIR_GUARDED_BY(hwloc_mutex) = nullptr;
  base::Lock lock(hwloc_mutex);
  if (const char* const file = std::getenv("HWLOC_XMLFILE"); file != nullptr && known == nullptr) {
    lock.unlock();  // a fork takes it
    if (base::Status status = try_file(file); !status) return status;
    lock.lock();
  }
  if (known == nullptr) known = new ByMask;  // never destroyed: a runtime may be made during static destruction
  const auto found = known->find(usable_cpus);
  if (found != known->end()) return found->second;
  base::Result<Machine> machine = read_this_system(usable_cpus);
  if (machine) known->emplace(std::move(usable_cpus), *machine);
  return machine;
}

}  // namespace

base::Result<Machine> Machine::discover() { return discover_for(platform::unbound_cpus()); }

base::Result<Machine> discover_for_all_threads() { return discover_for(std::nullopt); }

}  // namespace weir::machine
