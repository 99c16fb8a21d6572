// SPDX-License-Identifier: Apache-2.0

// make_xml FOLDER: writes the described machines of tests/machines/xml that no synthetic string can express, because
// they carry what firmware claims. Run by hand after a change here; the files are kept.
//
// The figures are those of published measurements, rounded: what matters is which is larger.
#include <hwloc.h>
#include <hwloc/memattrs.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

struct Claim {
  int node;  // logical index
  int from;  // index of a domain: an object of the type below
  double gb_per_s;
  double write_gb_per_s;
  unsigned latency_ns;
};

struct Described {
  const char* file;
  const char* synthetic;
  hwloc_obj_type_t domain;
  std::vector<Claim> claims;
  std::vector<int> gpu_nodes;  // hwloc says of them that they are a GPU's memory
};

hwloc_memattr_id_t attribute(hwloc_topology_t topology, const char* name) {
  hwloc_memattr_id_t id{};
  if (hwloc_memattr_get_by_name(topology, name, &id) != 0) std::fprintf(stderr, "no attribute %s\n", name);
  return id;
}

void claim(hwloc_topology_t topology, hwloc_obj_type_t domain, const Claim& c) {
  const hwloc_obj_t node = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, unsigned(c.node));
  hwloc_location from{};
  from.type = HWLOC_LOCATION_TYPE_CPUSET;
  from.location.cpuset = hwloc_get_obj_by_type(topology, domain, unsigned(c.from))->cpuset;
  const auto set = [&](const char* name, double value) {
    hwloc_memattr_set_value(topology, attribute(topology, name), node, &from, 0, hwloc_uint64_t(value));
  };
  set("ReadBandwidth", c.gb_per_s * 1e9 / 1048576);
  set("WriteBandwidth", c.write_gb_per_s * 1e9 / 1048576);
  set("ReadLatency", c.latency_ns);
}

int write(const std::string& folder, const Described& machine) {
  hwloc_topology_t topology = nullptr;
  hwloc_topology_init(&topology);
  hwloc_topology_set_synthetic(topology, machine.synthetic);
  hwloc_topology_load(topology);
  for (const Claim& c : machine.claims) claim(topology, machine.domain, c);
  for (const int node : machine.gpu_nodes) {
    hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, unsigned(node))->subtype = strdup("GPUMemory");
  }
  const int result = hwloc_topology_export_xml(topology, (folder + "/" + machine.file).c_str(), 0);
  hwloc_topology_destroy(topology);
  return result;
}

std::vector<Claim> every(int domains, const std::function<void(std::vector<Claim>&, int)>& add) {
  std::vector<Claim> claims;
  for (int domain = 0; domain < domains; ++domain) add(claims, domain);
  return claims;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::vector<Described> machines = {
      // As Linux shows it: firmware's figures for local memory only.
      {"xeon_max_snc4_flat.xml",
       "pack:2 group:4 [numa(memory=64GB)] [numa(memory=16GB)] l2:4 core:1 pu:2",
       HWLOC_OBJ_GROUP,
       every(8,
             [](auto& claims, int d) {
               claims.push_back({2 * d, d, 75, 70, 110});
               claims.push_back({2 * d + 1, d, 200, 180, 130});
             }),
       {}},
      // The expander is slower and farther than either socket's memory, and claims are known from both.
      {"two_sockets_cxl.xml",
       "[numa(memory=256GB)] pack:2 [numa(memory=512GB)] l3:1(size=96MB) l2:4 core:1 pu:2",
       HWLOC_OBJ_PACKAGE,
       every(2,
             [](auto& claims, int d) {
               claims.push_back({d, d, 260, 240, 100});
               claims.push_back({1 - d, d, 110, 100, 180});
               claims.push_back({2, d, 55, 50, 250});
             }),
       {}},
      // Optane in memory mode's place: larger than the DRAM beside it, and slow to write.
      {"optane.xml",
       "pack:2 [numa(memory=96GB)] [numa(memory=768GB)] l3:1 l2:4 core:1 pu:2",
       HWLOC_OBJ_PACKAGE,
       every(2,
             [](auto& claims, int d) {
               claims.push_back({2 * d, d, 105, 80, 80});
               claims.push_back({2 * d + 1, d, 38, 12, 300});
             }),
       {}},
      // The cores' own node is HBM here, and ordinary memory has no cores.
      {"hbm_with_cores.xml",
       "pack:1 [numa(memory=64GB)] [numa(memory=512GB)] l3:1 l2:8 core:1 pu:1",
       HWLOC_OBJ_PACKAGE,
       every(1,
             [](auto& claims, int d) {
               claims.push_back({0, d, 800, 700, 120});
               claims.push_back({1, d, 250, 220, 110});
             }),
       {}},
      {"grace_hopper.xml",
       "pack:1 [numa(memory=480GB)] [numa(memory=96GB)] l3:1(size=114MB) core:8 pu:1",
       HWLOC_OBJ_PACKAGE,
       every(1,
             [](auto& claims, int d) {
               claims.push_back({0, d, 450, 400, 120});
               claims.push_back({1, d, 350, 300, 400});
             }),
       {1}},
  };
  for (const Described& machine : machines) {
    if (write(argv[1], machine) != 0) return 1;
  }
  return 0;
}
