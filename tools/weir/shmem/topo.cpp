// SPDX-License-Identifier: Apache-2.0

#include "topo.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "base/joined.hpp"
#include "json.hpp"
#include "launch/mpi_starter.hpp"
#include "machine/machine.hpp"
#include "memory/tier_spec.hpp"
#include "platform/memory_limit.hpp"
#include "platform/pages.hpp"
#include "platform/process.hpp"
#include "shmem/api/variables.hpp"
#include "shmem/detail/constants.h"
#include "shmem/heap/plan.hpp"
#include "transport/mpi/load.hpp"
#include "verb.hpp"

namespace weir::tool {

namespace {

using machine::Machine;
using memory::size_text;

constexpr const char* kThreadLevels[] = {"SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"};

const char* variable(const std::string& name) { return std::getenv(name.c_str()); }

// Why static data cannot be shared; "" when they can: PEs map them from memory that has no name.
std::string missing_for_static_data() {
  const platform::Descriptor file(memfd_create("weir topo", MFD_CLOEXEC));
  return file.is_open() ? "" : fmt::format("memfd_create: {}", std::strerror(errno));
}

void show_library(Global& global) {
  const std::string missing = missing_for_static_data();
  global.print_heading("{} {}, OpenSHMEM {}.{}\n", SHMEM_VENDOR_STRING, WEIR_VERSION, SHMEM_MAJOR_VERSION,
                       SHMEM_MINOR_VERSION);
  global.print("  thread levels: {}\n", base::joined(kThreadLevels, ", "));
  global.print("  static data: {}\n", missing.empty() ? "symmetric, of the program and of its own shared libraries"
                                                      : "cannot be shared here: " + missing);
  Json levels = Json::array();
  for (const char* const level : kThreadLevels) levels.push_back(level);
  global.add({{"object", "shmem"},
              {"vendor", SHMEM_VENDOR_STRING},
              {"weir", WEIR_VERSION},
              {"version", fmt::format("{}.{}", SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION)},
              {"thread_levels", levels},
              {"static_data", missing.empty()}});
}

// The plans of the environment: what is wrong with them is told by the caller, when all has been shown.
base::Status show_heap(const Machine& machine, Global& global) {
  const platform::MemoryLimit limit = platform::shared_memory_limit();
  const auto pes = static_cast<std::uint64_t>(std::max(1, machine.core_count()));
  const std::uint64_t one = shmem::default_heap_bytes(limit.bytes / 2, 1);
  const std::uint64_t each = shmem::default_heap_bytes(limit.bytes / 2, pes);
  const auto plans = shmem::plan_heaps(variable);
  const bool is_set = plans && plans.value()[0].bytes.has_value();
  const std::string said = is_set ? size_text({*plans.value()[0].bytes}) : "";
  global.print_heading("\nsymmetric heap\n");
  if (is_set) global.print("  of each PE, as the environment has it: {}\n", said);
  global.print("  of each PE, by default: {} of one PE, {} of {} PEs\n", size_text({one}), size_text({each}), pes);
  global.print("  limit of all PEs of this host: {} ({})\n", size_text({limit.bytes}), limit.limited_by);
  global.add({{"object", "shmem_heap"},
              {"asked_bytes", is_set ? Json(*plans.value()[0].bytes) : Json()},
              {"default_bytes_of_one_pe", one},
              {"pes", pes},
              {"default_bytes_of_each", each},
              {"limit_bytes", limit.bytes},
              {"limited_by", limit.limited_by}});
  return plans ? base::Status::success() : plans.status();
}

// One kind of memory, which a partition can be made of.
struct KindOfMemory {
  std::vector<std::string> nodes;
  std::uint64_t capacity = 0, free = 0;
};

void show_partitions(const Machine& machine, Global& global) {
  std::map<machine::MemoryKind, KindOfMemory> kinds;
  for (const machine::MemoryNode& node : machine.memory_nodes()) {
    if (!node.allowed || node.kind == machine::MemoryKind::unknown) continue;
    KindOfMemory& kind = kinds[node.kind];
    kind.nodes.push_back(node.name);
    kind.capacity += node.capacity.count;
    kind.free += platform::free_memory(node.os_index).count;
  }
  global.print_heading("\npartitions possible here (SHMEM_SYMMETRIC_PARTITION1 to 15)\n");
  for (const auto& [kind, memory] : kinds) {
    global.print("  kind={}: {} free of {}, {}\n", machine::to_string(kind), size_text({memory.free}),
                 size_text({memory.capacity}), base::joined(memory.nodes, " "));
    global.add({{"object", "shmem_partition"},
                {"kind", machine::to_string(kind)},
                {"memory_nodes", memory.nodes},
                {"capacity_bytes", memory.capacity},
                {"free_bytes", memory.free}});
  }
}

void show_variable(const char* name, const char* help, const char* value, Global& global) {
  global.print("  {:<28} {} ({})\n", name, value == nullptr ? "not set" : Global::style().number(value), help);
  global.add({{"object", "shmem_variable"},
              {"name", name},
              {"value", value == nullptr ? Json() : Json(value)},
              {"help", help}});
}

void show_variables(Global& global) {
  constexpr int kPartitions = 15;
  global.print_heading("\nvariables\n");
  for (const shmem::api::Variable& one : shmem::api::kVariables)
    show_variable(one.name, one.help, shmem::api::value_of(one), global);
  for (int number = 2; number <= kPartitions; ++number) {
    const std::string name = fmt::format("SHMEM_SYMMETRIC_PARTITION{}", number);
    if (const char* const value = variable(name)) show_variable(name.c_str(), "one more heap", value, global);
  }
}

void show_transport(const std::string& name, const std::string& where, bool is_there, Global& global) {
  global.print("  {:<10} {}\n", name, is_there ? where : Global::style().warning(where));
  global.add({{"object", "shmem_transport"}, {"name", name}, {"there", is_there}, {"where", where}});
}

void show_transports(Global& global) {
  global.print_heading("\ntransports\n");
  show_transport("shared", "between PEs of one host: always there", true, global);
  const auto found = transport::mpi::plugins();
  for (const auto& [mpi, file] : found) show_transport(mpi, fmt::format("between hosts: {}", file), true, global);
  if (found.empty())
    show_transport("mpi", "between hosts: no plugin is found; install weir-openmpi or weir-mpich", false, global);
  const auto starter = launch::find_mpi_starter();
  show_transport("mpirun",
                 starter ? fmt::format("starts PEs on other hosts: {}", starter->program) : starter.status().message,
                 bool(starter), global);
}

}  // namespace

int show_shmem(Global& global) {
  const auto machine = Machine::discover();
  if (!machine) return fail(machine.status());
  show_library(global);
  const base::Status heap = show_heap(*machine, global);
  show_partitions(*machine, global);
  show_variables(global);
  show_transports(global);
  return heap ? kDone : fail(heap);
}

}  // namespace weir::tool
