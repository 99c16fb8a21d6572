// SPDX-License-Identifier: Apache-2.0

#include "sim/known_machines.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weir::sim {

namespace {

using machine::Machine;
using machine::MemoryKind;

constexpr double kWrite = 0.8, kRemoteWrite = 0.75;  // of reads, at home and elsewhere

Machine with_figures(const Machine& plain, const KnownMachine& known) {
  std::vector<MemoryKind> kinds;
  std::vector<std::vector<machine::Cost>> costs;
  std::vector<Bytes> side_caches;
  for (const machine::MemoryNode& node : plain.memory_nodes()) {
    const KnownNode& figures = known.nodes[kinds.size() % known.nodes.size()];
    kinds.push_back(figures.kind);
    side_caches.push_back({figures.side_cache});
    auto& of_node = costs.emplace_back();
    for (const machine::Domain& domain : plain.domains()) {
      const bool local =
          std::find(node.local_domains.begin(), node.local_domains.end(), domain.id) != node.local_domains.end();
      const double read = local ? figures.gb_per_s : figures.gb_per_s * known.remote;
      of_node.push_back(
          {read, read * (local ? kWrite : kRemoteWrite), figures.latency_ns + (local ? 0 : known.remote_ns)});
    }
  }
  return plain.with_claimed(kinds, costs, side_caches);
}

}  // namespace

// Bandwidths: of KNL by STREAM in "Memory Mode" studies of 2016 on (MCDRAM 400 GB/s and more, 330 as a cache; six
// channels of DDR4-2400 90 GB/s); of Xeon Max by its makers' and others' STREAM (four stacks of HBM2e, eight channels
// of DDR5-4800); of Grace-Hopper, MI300A and CXL expanders what such memory usually gives a processor.
// Rounded, without a source for each figure: what matters is which is larger, and about how much.
const std::vector<KnownMachine>& known_machines() {
  using enum MemoryKind;
  static const std::vector<KnownMachine> machines = {
      {"knl-snc4-flat",
       "pack:1 group:4 [numa(memory=24GB)] [numa(memory=4GB)] core:16 pu:4",
       "Knights Landing, 64 cores in 4 clusters, MCDRAM flat",
       {{ddr, 22, 130}, {hbm, 105, 150}}},
      {"knl-quad-flat",
       "pack:1 [numa(memory=96GB)] [numa(memory=16GB)] core:64 pu:4",
       "the same as one cluster",
       {{ddr, 88, 130}, {hbm, 420, 150}}},
      {"knl-quad-cache",
       "pack:1 [numa(memory=96GB)] core:64 pu:4",
       "the same, MCDRAM as a cache of DDR",
       {{ddr, 330, 170, 16'000'000'000}}},
      {"xeon-max-flat",
       "pack:1 group:4 [numa(memory=64GB)] [numa(memory=16GB)] core:14 pu:2",
       "Xeon Max, 56 cores in 4 clusters, HBM flat",
       {{ddr, 62, 130}, {hbm, 200, 150}}},
      {"xeon-max-hbm-only",
       "pack:1 group:4 [numa(memory=16GB)] core:14 pu:2",
       "Xeon Max without DIMMs",
       {{ddr, 200, 150}}},
      {"grace-hopper",
       "pack:1 [numa(memory=480GB)] [numa(memory=96GB)] l3:1(size=114MB) core:72 pu:1",
       "72 cores, LPDDR, the GPU's HBM as a memory node",
       {{ddr, 450, 120}, {device, 350, 400}}},
      {"mi300a",
       "pack:4 [numa(memory=128GB)] l3:3(size=32MB) l2:8(size=1MB) core:1 pu:2",
       "4 packages of 24 cores, all memory HBM3",
       {{ddr, 200, 240}},
       0.4,
       250},
      {"epyc-nps4",
       "pack:2 group:4 [numa(memory=96GB)] l3:4(size=32MB) l2:4(size=1MB) core:1 pu:2",
       "2 sockets of EPYC, 8 domains of 16 cores",
       {{ddr, 95, 110}},
       0.5,
       60},
      {"two-sockets-cxl",
       "[numa(memory=256GB)] pack:2 [numa(memory=512GB)] l3:1(size=96MB) l2:32 core:1 pu:2",
       "2 sockets of 32 cores, DDR5, and a CXL expander",
       {{ddr, 260, 100}, {ddr, 260, 100}, {cxl, 55, 250}},
       0.42,
       80},
      {"laptop",
       "pack:1 [numa(memory=16GB)] l3:1(size=12MB) l2:4(size=1MB) core:1 pu:2",
       "four cores, one kind of memory",
       {{ddr, 40, 95}}},
  };
  return machines;
}

base::Result<Machine> find_machine(const std::string& text) {
  for (const KnownMachine& known : known_machines()) {
    if (text != known.name) continue;
    auto machine = Machine::from_description(known.description);
    if (!machine) return machine;
    return with_figures(*machine, known);
  }
  auto machine = Machine::from_description(text);
  const bool could_be_a_name = text.find_first_of(": /.") == std::string::npos;
  if (machine || !could_be_a_name) return machine;
  std::string names;
  for (const KnownMachine& known : known_machines())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  return base::Status{base::Code::bad_option,
                      fmt::format("{}; or one of these names: {}", machine.status().message, names)};
}

}  // namespace weir::sim
