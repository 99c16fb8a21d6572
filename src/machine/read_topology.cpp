// SPDX-License-Identifier: Apache-2.0

#include "machine/read_topology.hpp"

#include <hwloc/distances.h>
#include <hwloc/memattrs.h>
#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string_view>

#include "base/mutex.hpp"
#include "machine/classify.hpp"
#include "platform/pages.hpp"

namespace weir::machine {
namespace {

struct BitmapDeleter {
  void operator()(hwloc_bitmap_s* set) const noexcept { hwloc_bitmap_free(set); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapDeleter>;

Bitmap usable_set(hwloc_topology_t topology, const std::vector<int>* usable_cpus) {
  Bitmap set(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)));
  if (usable_cpus == nullptr) return set;
  const Bitmap mask(hwloc_bitmap_alloc());
  for (const int cpu : *usable_cpus) hwloc_bitmap_set(mask.get(), unsigned(cpu));
  hwloc_bitmap_and(set.get(), set.get(), mask.get());
  return set;
}

std::vector<int> members(hwloc_const_bitmap_t set) {
  std::vector<int> list;
  for (int i = hwloc_bitmap_first(set); i != -1; i = hwloc_bitmap_next(set, i)) list.push_back(i);
  return list;
}

// The NUMA nodes attached to `object`; looks through memory-side caches.
std::vector<hwloc_obj_t> memory_of(hwloc_obj_t object) {
  std::vector<hwloc_obj_t> nodes;
  for (hwloc_obj_t child = object->memory_first_child; child != nullptr; child = child->next_sibling) {
    if (child->type == HWLOC_OBJ_NUMANODE) {
      nodes.push_back(child);
    } else {
      const auto below = memory_of(child);
      nodes.insert(nodes.end(), below.begin(), below.end());
    }
  }
  return nodes;
}

// The nearest object around `object` (itself included) that memory is attached to; null when there is none.
hwloc_obj_t locality_of(hwloc_obj_t object) {
  while (object != nullptr && object->memory_arity == 0) object = object->parent;
  return object;
}

// The object whose cores a NUMA node is local to.
hwloc_obj_t home_of(hwloc_obj_t node) {
  hwloc_obj_t parent = node->parent;
  while (parent != nullptr && hwloc_obj_type_is_memory(parent->type)) parent = parent->parent;
  return parent;
}

// Of the caches between a NUMA node and its cores, the largest.
Bytes side_cache_of(hwloc_obj_t node) {
  Bytes size;
  for (hwloc_obj_t around = node->parent; around != nullptr && hwloc_obj_type_is_memory(around->type);
       around = around->parent)
    if (around->type == HWLOC_OBJ_MEMCACHE) size = std::max(size, Bytes{around->attr->cache.size});
  return size;
}

double gb_per_s(double mib_per_s) { return mib_per_s * 1048576e-9; }

// What firmware says, 0 where it says nothing. hwloc has plain figures, and since 2.8 separate ones for reads and
// writes.
struct Firmware {
  hwloc_topology_t topology;

  double value(hwloc_memattr_id_t attribute, hwloc_obj_t node, hwloc_cpuset_t cores) const {
    hwloc_location from{};
    from.type = HWLOC_LOCATION_TYPE_CPUSET;
    from.location.cpuset = cores;
    hwloc_uint64_t value = 0;
    return hwloc_memattr_get_value(topology, attribute, node, &from, 0, &value) == 0 ? double(value) : 0;
  }
  double named(const char* name, hwloc_memattr_id_t otherwise, hwloc_obj_t node, hwloc_cpuset_t cores) const {
    hwloc_memattr_id_t attribute{};
    double found = 0;
    if (hwloc_memattr_get_by_name(topology, name, &attribute) == 0) found = value(attribute, node, cores);
    return found > 0 ? found : value(otherwise, node, cores);
  }
  Cost cost(hwloc_obj_t node, hwloc_cpuset_t cores) const {
    const auto bandwidth = [&](const char* name) {
      return gb_per_s(named(name, HWLOC_MEMATTR_ID_BANDWIDTH, node, cores));
    };
    return {bandwidth("ReadBandwidth"), bandwidth("WriteBandwidth"),
            named("ReadLatency", HWLOC_MEMATTR_ID_LATENCY, node, cores)};
  }
};

class Reader {
 public:
  Reader(hwloc_topology_t topology, const std::vector<int>* usable_cpus)
      : topology_(topology),
        this_system_(hwloc_topology_is_thissystem(topology) != 0),
        usable_(usable_set(topology, this_system_ ? usable_cpus : nullptr)) {
    data_.is_this_system = this_system_;
  }

  void read() {
    read_domains();
    read_nodes();
    read_localities();
    read_kinds();
    read_distances();
    read_rest();
  }
  Machine::Data take() { return std::move(data_); }

 private:
  // A core of the topology, or a PU where the topology has no cores, goes to the domain of its nearest memory.
  void read_domains() {
    const int depth = hwloc_get_type_or_below_depth(topology_, HWLOC_OBJ_CORE);
    for (hwloc_obj_t core = nullptr; (core = hwloc_get_next_obj_by_depth(topology_, depth, core)) != nullptr;) {
      const hwloc_obj_t home = locality_of(core);
      if (home != nullptr) core_homes_.insert(home);
      const Bitmap threads(hwloc_bitmap_alloc());
      hwloc_bitmap_and(threads.get(), core->cpuset, usable_.get());
      if (home == nullptr || hwloc_bitmap_iszero(threads.get())) continue;
      const hwloc_obj_t shared = hwloc_get_ancestor_obj_by_type(topology_, HWLOC_OBJ_L2CACHE, core);
      domain_at(home, core).cores.push_back({members(threads.get())});
      if (shared != nullptr) data_.tiles[hwloc_bitmap_first(threads.get())] = int(shared->logical_index);
    }
    for (Domain& domain : data_.domains) {
      std::sort(domain.cores.begin(), domain.cores.end(),
                [](const Core& a, const Core& b) { return a.os_cpus < b.os_cpus; });
    }
  }

  Domain& domain_at(hwloc_obj_t home, hwloc_obj_t core) {
    const auto known = std::find(homes_.begin(), homes_.end(), home);
    if (known != homes_.end()) return data_.domains[std::size_t(known - homes_.begin())];
    Domain domain;
    domain.id = DomainId(homes_.size());
    domain.name = "domain" + std::to_string(homes_.size());
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology_, HWLOC_OBJ_PACKAGE, core);
    domain.package = package != nullptr ? int(package->logical_index) : 0;
    homes_.push_back(home);
    data_.domains.push_back(std::move(domain));
    return data_.domains.back();
  }

  void read_nodes() {
    const Firmware firmware{topology_};
    for (hwloc_obj_t object = nullptr;
         (object = hwloc_get_next_obj_by_type(topology_, HWLOC_OBJ_NUMANODE, object)) != nullptr;) {
      if (object->attr->numanode.local_memory == 0) continue;  // its cores, if any, still form a domain
      MemoryNode node;
      node.id = MemoryNodeId(nodes_.size());
      node.os_index = int(object->os_index);
      node.capacity = {object->attr->numanode.local_memory};
      node.side_cache = side_cache_of(object);
      node.allowed = hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(topology_), object->os_index) != 0;
      for (const hwloc_obj_t domain_home : homes_) {
        node.claimed.push_back(firmware.cost(object, domain_home->cpuset));
      }
      node.measured.resize(homes_.size());
      nodes_.push_back(object);
      data_.memory_nodes.push_back(std::move(node));
    }
  }

  void read_localities() {
    for (std::size_t d = 0; d < homes_.size(); ++d) {
      for (hwloc_obj_t level = homes_[d]; level != nullptr; level = locality_of(level->parent)) {
        for (const hwloc_obj_t object : memory_of(level)) {
          const int index = index_of(object);
          if (index < 0) continue;
          data_.domains[d].local_nodes.push_back(MemoryNodeId(index));
          data_.memory_nodes[std::size_t(index)].local_domains.push_back(DomainId(d));
        }
      }
    }
  }

  int index_of(hwloc_obj_t object) const {
    const auto found = std::find(nodes_.begin(), nodes_.end(), object);
    return found == nodes_.end() ? -1 : int(found - nodes_.begin());
  }

  // Every place that memory is attached to has a number; equal places, equal numbers.
  int locality_number(hwloc_obj_t home) const {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (home_of(nodes_[i]) == home) return int(i);
    }
    return -1;
  }

  // The locality whose ordinary memory a node is compared with: its own when cores are in it directly, else the first
  // one within it whose cores have memory.
  int compared_locality(hwloc_obj_t home) const {
    if (core_homes_.count(home) != 0) return locality_number(home);
    for (const hwloc_obj_t node : nodes_) {
      const hwloc_obj_t other = home_of(node);
      if (core_homes_.count(other) != 0 && hwloc_bitmap_intersects(other->cpuset, home->cpuset) != 0) {
        return locality_number(other);
      }
    }
    return -1;
  }

  NodeFacts facts_of(std::size_t index) const {
    const hwloc_obj_t object = nodes_[index];
    NodeFacts facts;
    facts.locality = locality_number(home_of(object));
    facts.compared = compared_locality(home_of(object));
    if (this_system_) facts.has_cores = platform::node_has_cpus(int(object->os_index));
    facts.capacity = data_.memory_nodes[index].capacity;
    facts.best = Firmware{topology_}.cost(object, best_initiator(object));
    facts.stated = stated_by_kernel(object);
    return facts;
  }

  // The cores that a node is nearest to, whether or not this process may use them.
  hwloc_cpuset_t best_initiator(hwloc_obj_t object) const {
    hwloc_cpuset_t best = home_of(object)->cpuset;
    double most = 0;
    for (const hwloc_obj_t home : core_homes_) {
      if (hwloc_bitmap_intersects(home->cpuset, object->cpuset) == 0) continue;
      const double bandwidth = Firmware{topology_}.cost(object, home->cpuset).read_gb_per_s;
      if (bandwidth > most) most = bandwidth, best = home->cpuset;
    }
    return best;
  }

  static NodeFacts::Stated stated_by_kernel(hwloc_obj_t object) {
    const char* dax = hwloc_obj_get_info_by_name(object, "DAXType");
    if (dax != nullptr && std::string_view(dax) == "NVM") return NodeFacts::Stated::nvm;
    if (hwloc_obj_get_info_by_name(object, "CXLDevice") != nullptr) return NodeFacts::Stated::cxl;
    return stated_by_subtype(object->subtype == nullptr ? "" : object->subtype);
  }

  // hwloc's, where the driver of a GPU says that a node is the GPU's memory, or the kernel what is behind it.
  static NodeFacts::Stated stated_by_subtype(std::string_view subtype) {
    if (subtype == "GPUMemory") return NodeFacts::Stated::device;
    if (subtype == "CXL-DRAM") return NodeFacts::Stated::cxl;
    if (subtype == "CXL-NVM" || subtype == "NVM") return NodeFacts::Stated::nvm;
    return NodeFacts::Stated::nothing;
  }

  void read_kinds() {
    std::vector<NodeFacts> facts;
    for (std::size_t i = 0; i < nodes_.size(); ++i) facts.push_back(facts_of(i));
    const std::vector<MemoryKind> kinds = classify(facts);
    std::map<MemoryKind, int> count;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      MemoryNode& node = data_.memory_nodes[i];
      node.kind = kinds[i];
      node.name = to_string(kinds[i]) + std::to_string(count[kinds[i]]++);
      const hwloc_obj_t home = home_of(nodes_[i]);
      const bool ordinary = core_homes_.count(home) != 0 && ordinary_node(facts, locality_number(home)) == int(i);
      node.has_cores = facts[i].has_cores.value_or(ordinary);
    }
    for (std::size_t d = 0; d < homes_.size(); ++d) data_.domains[d].os_node = int(own_node(homes_[d])->os_index);
  }

  // The node that the cores at `home` belong to. It may have no memory, and then is none of nodes_.
  hwloc_obj_t own_node(hwloc_obj_t home) const {
    const std::vector<hwloc_obj_t> attached = memory_of(home);
    for (const hwloc_obj_t object : attached) {
      const int index = index_of(object);
      if (index >= 0 && data_.memory_nodes[std::size_t(index)].has_cores) return object;
      if (this_system_ && platform::node_has_cpus(int(object->os_index)).value_or(false)) return object;
    }
    return attached.front();
  }

  void read_distances() {
    const auto shape = [&](std::size_t columns) {
      return std::vector<std::vector<double>>(homes_.size(), std::vector<double>(columns, 1.0));
    };
    data_.domain_distance = shape(homes_.size());
    data_.node_distance = shape(nodes_.size());
    hwloc_distances_s* matrix = nullptr;
    unsigned count = 1;
    if (hwloc_distances_get_by_name(topology_, "NUMALatency", &count, &matrix, 0) != 0 || count == 0) matrix = nullptr;
    for (std::size_t from = 0; from < homes_.size(); ++from) {
      for (std::size_t to = 0; to < homes_.size(); ++to) {
        data_.domain_distance[from][to] = relative_distance(matrix, from, own_node(homes_[to]));
      }
      for (std::size_t to = 0; to < nodes_.size(); ++to) {
        data_.node_distance[from][to] = relative_distance(matrix, from, nodes_[to]);
      }
    }
    if (matrix != nullptr) hwloc_distances_release(topology_, matrix);
  }

  // Local memory counts as 1 whatever the table says, and other memory by what the same memory has for cores that it is
  // local to: firmware puts HBM far away, also from those, so that nobody gets it by default.
  double relative_distance(hwloc_distances_s* matrix, std::size_t domain, hwloc_obj_t target) const {
    const hwloc_obj_t home = homes_[domain];
    const hwloc_obj_t own = own_node(home);
    if (hwloc_bitmap_isincluded(home->cpuset, target->cpuset) != 0) return 1.0;
    const hwloc_obj_t nearest = own_node(home_of(target));
    hwloc_uint64_t there = 0, back = 0, local = 0;
    if (matrix != nullptr && hwloc_distances_obj_pair_values(matrix, own, target, &there, &back) == 0 &&
        hwloc_distances_obj_pair_values(matrix, nearest, target, &local, &back) == 0 && local > 0) {
      return std::max(1.0, double(there) / double(local));
    }
    const hwloc_obj_t around = hwloc_get_common_ancestor_obj(topology_, home, home_of(target));
    return around->type == HWLOC_OBJ_MACHINE ? 2.0 : 1.5;
  }

  void read_rest() {
    data_.online_cpus = hwloc_bitmap_weight(hwloc_topology_get_topology_cpuset(topology_));
    data_.allowed_cpus = hwloc_bitmap_weight(hwloc_topology_get_allowed_cpuset(topology_));
    const hwloc_obj_t package = hwloc_get_obj_by_type(topology_, HWLOC_OBJ_PACKAGE, 0);
    const char* model = package != nullptr ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
    if (model != nullptr) data_.cpu_model = model;
    for (const auto type : {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE}) {
      if (hwloc_get_nbobjs_by_type(topology_, type) <= 0) continue;
      read_caches(type);
      return;
    }
  }

  void read_caches(hwloc_obj_type_t type) {
    for (hwloc_obj_t cache = nullptr; (cache = hwloc_get_next_obj_by_type(topology_, type, cache)) != nullptr;) {
      if (hwloc_bitmap_intersects(cache->cpuset, usable_.get()) == 0) continue;
      const Bytes size{cache->attr->cache.size};
      data_.last_level_cache = std::max(data_.last_level_cache, size);
      data_.all_last_level_caches.count += size.count;
    }
  }

  hwloc_topology_t topology_;
  bool this_system_;
  Bitmap usable_;
  Machine::Data data_;
  std::set<hwloc_obj_t> core_homes_;  // of all cores of the machine, usable or not
  std::vector<hwloc_obj_t> homes_;    // by DomainId
  std::vector<hwloc_obj_t> nodes_;    // by MemoryNodeId
};

}  // namespace

// The child of a fork would find the mutex, or the guard of a static being made, held by a thread that it does not
// have. So it is made before main() and needs no guard.
constinit base::Mutex hwloc_mutex;

namespace {

void lock_for_fork() WEIR_ACQUIRE(hwloc_mutex) { hwloc_mutex.lock(); }
void unlock_after_fork() WEIR_RELEASE(hwloc_mutex) { hwloc_mutex.unlock(); }
[[maybe_unused]] const int kUnlockedAtFork = pthread_atfork(lock_for_fork, unlock_after_fork, unlock_after_fork);

}  // namespace

Topology new_topology(unsigned long flags) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | flags);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_MEMCACHE, HWLOC_TYPE_FILTER_KEEP_ALL);  // by default hwloc drops them
  return Topology(raw);
}

base::Result<Machine::Data> read_topology(hwloc_topology_t topology, const std::vector<int>* usable_cpus) {
  Reader reader(topology, usable_cpus);
  reader.read();
  Machine::Data data = reader.take();
  if (data.domains.empty()) return base::Status{base::Code::bad_input, "no core that this process may use"};
  if (data.memory_nodes.empty()) return base::Status{base::Code::bad_input, "no memory node with a capacity"};
  return data;
}

}  // namespace weir::machine
