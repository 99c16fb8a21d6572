// SPDX-License-Identifier: Apache-2.0

// small_caches FILE.xml: writes this machine for hwloc, but with caches of at most 4 MiB. The arrays in which bandwidth
// is measured are several times as large as all caches; on a machine with hundreds of MiB of cache each measurement
// takes many seconds and GB, which a test of what a command prints has no use for.
#include <hwloc.h>

#include <algorithm>
#include <cstdio>

int main(int argc, char** argv) {
  constexpr hwloc_uint64_t kMost = 4u << 20;
  if (argc != 2) {
    std::fprintf(stderr, "usage: small_caches FILE.xml\n");
    return 2;
  }
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0 || hwloc_topology_load(topology) != 0) {
    std::fprintf(stderr, "small_caches: hwloc cannot read this machine\n");
    return 1;
  }
  for (const auto type : {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE}) {
    for (hwloc_obj_t cache = nullptr; (cache = hwloc_get_next_obj_by_type(topology, type, cache)) != nullptr;)
      cache->attr->cache.size = std::min(cache->attr->cache.size, kMost);
  }
  const int failed = hwloc_topology_export_xml(topology, argv[1], 0);
  hwloc_topology_destroy(topology);
  if (failed != 0) std::fprintf(stderr, "small_caches: cannot write %s\n", argv[1]);
  return failed != 0;
}
