// SPDX-License-Identifier: Apache-2.0

// Machine: the cores, NUMA domains and memory nodes that this process may use, or those of a described machine.
//
// A Machine is a cheap handle to data that never changes once made: copy it freely, read it from any thread without a
// lock. Ids are indices: domains()[i].id == DomainId(i), memory_nodes()[i].id == MemoryNodeId(i).
// Bandwidth and latency are as seen from a domain; what firmware claims and what was measured here are kept apart.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace weir::machine {

// What a memory node is made of, judged by attributes (classify.hpp), never by its name or number.
enum class MemoryKind : std::uint8_t {
  hbm,      // more bandwidth than the ordinary memory of the same cores
  ddr,      // ordinary: what the kernel gives the cores by default
  cxl,      // slower or farther than ordinary memory, volatile
  nvm,      // persistent media: slower still, writes far slower than reads
  device,   // memory of an accelerator that cores can also address
  unknown,  // beside ordinary memory, and nothing tells whether it is faster or slower
};
const char* to_string(MemoryKind kind) noexcept;  // "hbm", "ddr", ...

// One hardware core that the process may use, perhaps with some of its hardware threads only.
struct Core {
  std::vector<int> os_cpus;  // the kernel's CPU numbers of its usable hardware threads, ascending; never empty
};

// Cores that share their nearest NUMA node. Only domains with a usable core exist.
struct Domain {
  DomainId id{};
  std::string name;                       // as shown by weir topo, e.g. "domain0"
  int os_node = 0;                        // the kernel's number of the node that its cores belong to
  int package = 0;                        // index of the socket, for display
  std::vector<Core> cores;                // in the kernel's CPU order; never empty
  std::vector<MemoryNodeId> local_nodes;  // memory whose locality includes these cores, nearest level first
};

// Cost of using a memory node from a domain. 0: not known.
struct Cost {
  double read_gb_per_s = 0;  // 10^9 bytes per second, all cores of the domain together
  double write_gb_per_s = 0;
  double latency_ns = 0;  // idle, dependent loads
};

struct MemoryNode {
  MemoryNodeId id{};
  std::string name;  // as shown by weir topo: kind and index among its kind, e.g. "hbm0"
  int os_index = 0;  // the kernel's NUMA node number, for mbind
  MemoryKind kind = MemoryKind::unknown;
  Bytes capacity;                       // what the kernel reports, before any use
  Bytes side_cache;                     // memory that caches it (KNL and Xeon Max in cache mode); 0: none
  bool allowed = true;                  // false: the cpuset forbids this process to allocate here
  bool has_cores = true;                // false: no core of the machine, usable or not, belongs to it
  std::vector<DomainId> local_domains;  // domains that have it among their local_nodes
  std::vector<Cost> claimed;            // by firmware (HMAT), indexed by DomainId
  std::vector<Cost> measured;           // by `weir topo --measure`, indexed by DomainId
};

class Machine {
 public:
  // This system, as far as the calling thread may use it: CPUs in its affinity mask (taskset, SLURM, cgroup cpuset),
  // or, on a thread that ScopedBinding has bound, in the mask it had before. Memory nodes that the cpuset forbids are
  // there with allowed == false. Numbers of an earlier `weir topo --measure` are filled in.
  //
  // Thread-safe. Remembered in the process per affinity mask: milliseconds the first time, then about a microsecond.
  // Fails with unsupported when hwloc cannot read the system.
  static base::Result<Machine> discover();

  // A described machine: an hwloc synthetic string, or the path of an XML file written by lstopo.
  // Fails with bad_input; the message names the column of a string's first error.
  static base::Result<Machine> from_description(const std::string& text);

  // False for a description: its CPU and node numbers mean nothing to this kernel, never bind or place by them.
  bool is_this_system() const noexcept;

  const std::vector<Domain>& domains() const noexcept;           // never empty
  const std::vector<MemoryNode>& memory_nodes() const noexcept;  // never empty
  const Domain& domain(DomainId id) const noexcept;
  const MemoryNode& memory_node(MemoryNodeId id) const noexcept;

  int core_count() const noexcept;  // of all domains
  // Cores' worth of CPU time that the cgroup grants (v1 or v2, the tightest on the way to the root); 0: no limit.
  double cpu_quota() const noexcept;
  // The least of core_count(), cpu_quota() rounded up and Runtime::kMaxWorkers; at least 1.
  int default_worker_count() const noexcept;
  // Largest last-level cache and how many bytes all of them have together; 0 when not known.
  Bytes last_level_cache() const noexcept;
  Bytes all_last_level_caches() const noexcept;

  // How far memory of `to` is for cores of `from`: 1 within a domain, larger elsewhere. From the firmware's distances
  // where there are any, else from the place in the topology; meant for comparing.
  double distance(DomainId from, DomainId to) const noexcept;
  // All allowed memory nodes, best first as seen from this domain: by bandwidth where it is known for all of them
  // (measured before claimed), else by kind and distance.
  const std::vector<MemoryNodeId>& tiers(DomainId from) const noexcept;
  // The nearest hbm node whose locality includes the domain; none where no memory is faster than the ordinary one.
  std::optional<MemoryNodeId> fast_node(DomainId domain) const noexcept;

  // The same machine with these costs as measured(): [node][domain].
  Machine with_measured(const std::vector<std::vector<Cost>>& costs) const;

  // The same machine with memory of these kinds [node], named after them, these costs as claimed() [node][domain], and
  // these memory-side caches [node]; none: it has none. For descriptions, whose form cannot say so.
  Machine with_claimed(const std::vector<MemoryKind>& kinds, const std::vector<std::vector<Cost>>& costs,
                       const std::vector<Bytes>& side_caches = {}) const;

  struct Data;  // machine_data.hpp, for the files of this folder
  explicit Machine(std::shared_ptr<const Data> data) noexcept : data_(std::move(data)) {}
  const Data& data() const noexcept { return *data_; }

 private:
  std::shared_ptr<const Data> data_;
};

}  // namespace weir::machine
