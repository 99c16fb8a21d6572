// SPDX-License-Identifier: Apache-2.0

// weir topo: the machine as Weir sees it, and what its memory costs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "json.hpp"
#include "machine/limits.hpp"
#include "machine/machine.hpp"
#include "machine/machine_data.hpp"
#include "machine/measure.hpp"
#include "machine/measured_file.hpp"
#include "machine_options.hpp"
#include "shmem/topo.hpp"
#include "sim/known_machines.hpp"
#include "text.hpp"
#include "verb.hpp"

namespace weir::tool {
namespace {

using machine::Cost;
using machine::Domain;
using machine::Machine;
using machine::MemoryNode;

struct TopoSettings {
  std::string input;
  bool measure = false;
  bool all = false;
  bool shmem = false;
};

std::string name_of(const Machine& m, const TopoSettings& settings) {
  if (!m.is_this_system()) return settings.input;
  return m.data().cpu_model.empty() ? "this system" : m.data().cpu_model;
}

std::string text_of(Bytes size) {
  if (size.count < 1u << 30) return fmt::format("{:.0f} MiB", double(size.count) / double(1u << 20));
  return fmt::format("{:.1f} GiB", double(size.count) / double(1u << 30));
}

std::string counted(std::size_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::vector<int> os_cpus(const Domain& domain) {
  std::vector<int> cpus;
  for (const machine::Core& core : domain.cores) cpus.insert(cpus.end(), core.os_cpus.begin(), core.os_cpus.end());
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

bool is_local(const Domain& domain, const MemoryNode& node) {
  return std::find(domain.local_nodes.begin(), domain.local_nodes.end(), node.id) != domain.local_nodes.end();
}

std::string number(double value, const char* format) {
  return value > 0 ? fmt::format(fmt::runtime(format), value) : "-";
}

std::string pair(double read, double write) { return number(read, "{:.1f}") + " / " + number(write, "{:.1f}"); }

// For people.

void print_head(const Machine& m, const TopoSettings& settings, Global& global) {
  Bytes memory;
  for (const MemoryNode& node : m.memory_nodes()) memory.count += node.capacity.count;
  std::string caches;
  if (m.last_level_cache().count > 0)
    caches = fmt::format(", last-level cache {:.0f} MiB", double(m.last_level_cache().count) / (1 << 20));
  global.print_heading("{}\n", name_of(m, settings));
  global.print("  {}, {}, {} ({}){}\n", counted(std::size_t(m.core_count()), "core"),
               counted(m.domains().size(), "domain"), counted(m.memory_nodes().size(), "memory node"), text_of(memory),
               caches);
  global.print("  workers by default: {}\n", m.default_worker_count());
  for (const std::string& line : machine::explain(machine::limits_of(m)))
    global.print("  {} {}\n", Global::style().warning("limit:"), line);
}

void print_memory(const Machine& m, const Domain& domain, MemoryNodeId id, int rank, Global& global) {
  const MemoryNode& node = m.memory_node(id);
  const Cost& claimed = node.claimed[std::size_t(domain.id)];
  const Cost& measured = node.measured[std::size_t(domain.id)];
  const std::string known = fmt::format("{:>13} {:>4}", pair(measured.read_gb_per_s, measured.write_gb_per_s),
                                        number(measured.latency_ns, "{:.0f}"));
  global.print("  {:>4}  {:<7} {:>4} {:>10}  {:<6} {:>13} {:>4}  {}\n", rank, node.name, node.os_index,
               text_of(node.capacity), is_local(domain, node) ? "local" : "remote",
               pair(claimed.read_gb_per_s, claimed.write_gb_per_s), number(claimed.latency_ns, "{:.0f}"),
               Global::style().number(known));
}

void print_domain(const Machine& m, const Domain& domain, bool all, Global& global) {
  global.print_heading("\n{}: {}, CPUs {} (NUMA node {}, package {})\n", domain.name,
                       counted(domain.cores.size(), "core"), ranges(os_cpus(domain), ","), domain.os_node,
                       domain.package);
  global.print("  tier  memory  NUMA   capacity  where  claimed: GB/s   ns measured: GB/s   ns\n");
  int rank = 0, hidden = 0;
  for (const MemoryNodeId id : m.tiers(domain.id)) {
    ++rank;
    if (all || is_local(domain, m.memory_node(id))) {
      print_memory(m, domain, id, rank, global);
    } else {
      ++hidden;
    }
  }
  if (hidden > 0) global.print("        and {} elsewhere (--all)\n", counted(std::size_t(hidden), "memory node"));
}

void print_notes(const Machine& m, Global& global) {
  for (const MemoryNode& node : m.memory_nodes()) {
    if (!node.allowed)
      global.print("\n{} (NUMA node {}, {}): {}\n", node.name, node.os_index, text_of(node.capacity),
                   Global::style().warning("not allowed to this process"));
    if (node.side_cache.count > 0)
      global.print("\n{} (NUMA node {}): behind a memory-side cache of {}, as a machine in cache mode has\n", node.name,
                   node.os_index, text_of(node.side_cache));
  }
  global.print("\nGB/s: read / write, 10^9 bytes a second, all cores of the domain; ns: idle latency.\n");
  bool measured = false, claimed = false;
  for (const MemoryNode& node : m.memory_nodes()) {
    for (const Cost& cost : node.measured) measured = measured || cost.read_gb_per_s > 0;
    for (const Cost& cost : node.claimed) claimed = claimed || cost.read_gb_per_s > 0 || cost.latency_ns > 0;
  }
  global.print("Claimed by firmware: {}. ", claimed ? "yes, where a number stands" : "nothing");
  if (measured) {
    global.print("Measured: kept in {}.\n", machine::measured_path(m));
  } else {
    global.print("Measured: nothing yet{}.\n", m.is_this_system() ? "; run weir topo --measure" : "");
  }
}

void print_text(const Machine& m, const TopoSettings& settings, Global& global) {
  print_head(m, settings, global);
  for (const Domain& domain : m.domains()) print_domain(m, domain, settings.all, global);
  print_notes(m, global);
}

// For programs. The keys are described in the verb's text; keep them.

Json known(double value) { return value > 0 ? Json(value) : Json(); }

Json names(const Machine& m, const std::vector<MemoryNodeId>& ids) {
  Json list = Json::array();
  for (const MemoryNodeId id : ids) list.push_back(m.memory_node(id).name);
  return list;
}

Json machine_object(const Machine& m, const TopoSettings& settings) {
  return {{"object", "machine"},
          {"name", name_of(m, settings)},
          {"this_system", m.is_this_system()},
          {"cores", m.core_count()},
          {"domains", m.domains().size()},
          {"memory_nodes", m.memory_nodes().size()},
          {"last_level_cache_bytes", m.last_level_cache().count > 0 ? Json(m.last_level_cache().count) : Json()},
          {"cpu_quota", known(m.cpu_quota())},
          {"default_workers", m.default_worker_count()},
          {"limits", machine::explain(machine::limits_of(m))}};
}

Json domain_object(const Machine& m, const Domain& domain) {
  Json cores = Json::array();
  for (const machine::Core& core : domain.cores) cores.push_back(core.os_cpus);
  const auto fast = m.fast_node(domain.id);
  return {{"object", "domain"},
          {"name", domain.name},
          {"os_node", domain.os_node},
          {"package", domain.package},
          {"cores", cores},
          {"local_memory", names(m, domain.local_nodes)},
          {"tiers", names(m, m.tiers(domain.id))},
          {"fast_memory", fast ? Json(m.memory_node(*fast).name) : Json()}};
}

Json node_object(const Machine& m, const MemoryNode& node) {
  Json local = Json::array();
  for (const DomainId id : node.local_domains) local.push_back(m.domain(id).name);
  return {{"object", "memory_node"},
          {"name", node.name},
          {"os_node", node.os_index},
          {"kind", machine::to_string(node.kind)},
          {"capacity_bytes", node.capacity.count},
          {"allowed", node.allowed},
          {"has_cores", node.has_cores},
          {"side_cache_bytes", node.side_cache.count > 0 ? Json(node.side_cache.count) : Json()},
          {"local_domains", local}};
}

Json cost_object(const Machine& m, const Domain& domain, MemoryNodeId id, int rank) {
  const MemoryNode& node = m.memory_node(id);
  const Cost& claimed = node.claimed[std::size_t(domain.id)];
  const Cost& measured = node.measured[std::size_t(domain.id)];
  return {{"object", "cost"},
          {"domain", domain.name},
          {"memory_node", node.name},
          {"tier", rank},
          {"local", is_local(domain, node)},
          {"claimed_read_gb_per_s", known(claimed.read_gb_per_s)},
          {"claimed_write_gb_per_s", known(claimed.write_gb_per_s)},
          {"claimed_latency_ns", known(claimed.latency_ns)},
          {"measured_read_gb_per_s", known(measured.read_gb_per_s)},
          {"measured_write_gb_per_s", known(measured.write_gb_per_s)},
          {"measured_latency_ns", known(measured.latency_ns)}};
}

void add_objects(const Machine& m, const TopoSettings& settings, Global& global) {
  global.add(machine_object(m, settings));
  for (const Domain& domain : m.domains()) global.add(domain_object(m, domain));
  for (const MemoryNode& node : m.memory_nodes()) global.add(node_object(m, node));
  for (const Domain& domain : m.domains()) {
    int rank = 0;
    for (const MemoryNodeId id : m.tiers(domain.id)) global.add(cost_object(m, domain, id, ++rank));
  }
}

base::Result<Machine> measured(const Machine& m, Global& global) {
  const auto costs = machine::measure(m, [&](const std::string& step) { global.progress(step); });
  global.progress("");
  if (!costs) return costs.status();
  if (base::Status status = machine::save_measured(m, *costs); !status) return status;
  return m.with_measured(*costs);
}

int show(const TopoSettings& settings, Global& global) {
  if (settings.shmem) return show_shmem(global);
  auto m = machine_named(settings.input);
  if (!m) return fail(m.status().message, is_described(settings.input) ? kUsage : kFailed);
  if (settings.measure) m = measured(*m, global);
  if (!m) return fail(m.status().message, m.status().code == base::Code::no_space ? kUsage : kFailed);
  print_text(*m, settings, global);
  add_objects(*m, settings, global);
  return kDone;
}

constexpr const char* kTopoText =
    R"(A domain is a group of cores that share their nearest NUMA node; Weir keeps one group of workers for each. A memory node is a pool of memory that the kernel can place pages in, with or without cores. Its kind is judged by attributes, never by name or number: hbm has more bandwidth than the ordinary memory of the same cores, ddr is the ordinary one, cxl is slower or farther, nvm persistent, device belongs to an accelerator. Tiers are the memory nodes ranked as seen from a domain, 1 being the best.

Only what this process may use is shown: taskset, cgroup and SLURM masks are honoured, and each limit in force has a line.

Bandwidth and latency come in two sorts: claimed by firmware (the HMAT table), and measured here by --measure, which takes about a second for each pair of domain and memory node on an idle machine, and whose numbers later runs show.

With --shmem, what SHMEM programs have here: version, thread levels, how large the symmetric heap is and can be, kinds of memory for partitions, variables of the environment with their values, transports and plugins for MPI.

With --json, each object has a key "object":

  machine      name this_system cores domains memory_nodes default_workers
               last_level_cache_bytes cpu_quota limits
  domain       name os_node package cores local_memory tiers fast_memory
  memory_node  name os_node kind capacity_bytes allowed has_cores
               side_cache_bytes local_domains
  cost         domain memory_node tier local, and claimed_ and measured_
               read_gb_per_s, write_gb_per_s and latency_ns

With --shmem they are shmem, shmem_heap, shmem_partition, shmem_variable and shmem_transport.

What is not known is null.)";

}  // namespace

void add_topo(CLI::App& app, Global& global) {
  auto settings = std::make_shared<TopoSettings>();
  CLI::App& verb =
      add_verb(app, global,
               {.name = "topo",
                .purpose = "show domains, memory nodes and tiers of this machine, or of a described one",
                .text = kTopoText,
                .examples = {{"weir topo --measure", "measure this machine's memory and show it"},
                             {"weir topo --input 'pack:1 group:4 [numa(memory=24GB)] [numa(memory=4GB)] core:16 pu:4'",
                              "a KNL in SNC-4 flat mode"},
                             {"weir topo --input epyc-nps4", "one of the machines that weir sim and weir advise know"},
                             {"weir topo --shmem", "what a SHMEM program finds here"},
                             {"weir topo --json | jq '.[] | select(.object == \"cost\")'", "for programs"}}},
               [settings](Global& g) { return show(*settings, g); });
  const Option input = add_option(verb, "--input", settings->input,
                                  "show this machine instead: an hwloc synthetic string, an XML file written by "
                                  "lstopo, or a name that weir sim knows")
                           .type_name("MACHINE")
                           .offers(known_names());
  const Option measure = add_flag(verb, "--measure", settings->measure,
                                  "measure bandwidth and latency of each memory node from each domain, and keep the "
                                  "numbers")
                             .excludes(input);
  add_flag(verb, "--shmem", settings->shmem, "show what SHMEM programs have here instead")
      .excludes(input)
      .excludes(measure);
  add_flag(verb, "--all", settings->all, "list memory of other domains too");
}

}  // namespace weir::tool
