// SPDX-License-Identifier: Apache-2.0

#include "apps/common/caches.hpp"

#include <hwloc.h>

#include <algorithm>
#include <memory>

namespace weir::apps {
namespace {

// Bytes per core of the smallest cache of this type; `otherwise` when there is none.
std::size_t smallest(hwloc_topology_t topology, hwloc_obj_type_t type, std::size_t otherwise) {
  std::size_t least = 0;
  for (hwloc_obj_t cache = nullptr; (cache = hwloc_get_next_obj_by_type(topology, type, cache)) != nullptr;) {
    const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE);
    const std::size_t share = cache->attr->cache.size / static_cast<std::size_t>(std::max(cores, 1));
    if (share != 0 && (least == 0 || share < least)) least = share;
  }
  return least != 0 ? least : otherwise;
}

}  // namespace

Caches find_caches() {
  Caches caches;
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return caches;
  const std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)> topology(raw, hwloc_topology_destroy);
  if (hwloc_topology_load(raw) != 0) return caches;
  caches.level1 = smallest(raw, HWLOC_OBJ_L1CACHE, caches.level1);
  caches.level2 = smallest(raw, HWLOC_OBJ_L2CACHE, caches.level2);
  return caches;
}

}  // namespace weir::apps
