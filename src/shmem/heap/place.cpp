// SPDX-License-Identifier: Apache-2.0

#include "shmem/heap/place.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/joined.hpp"
#include "machine/machine.hpp"
#include "memory/tier_spec.hpp"
#include "platform/memory_limit.hpp"
#include "platform/pages.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {

namespace {

using machine::Machine;
using machine::MemoryNode;

std::vector<const MemoryNode*> nodes_of_kind(const Machine& machine, machine::MemoryKind kind) {
  std::vector<const MemoryNode*> nodes;
  for (const MemoryNodeId id : machine.tiers(machine.domains()[0].id)) {
    if (machine.memory_node(id).kind == kind) nodes.push_back(&machine.memory_node(id));
  }
  return nodes;
}

std::string all_nodes(const Machine& machine) {
  std::string text;
  for (const MemoryNode& node : machine.memory_nodes())
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", node.name, memory::size_text(node.capacity));
  return text;
}

void refuse_without_room(const PartitionPlan& plan, const std::vector<int>& nodes) {
  std::uint64_t free = 0;
  for (const int node : nodes) free += platform::free_memory(node).count;
  const auto pes = static_cast<std::uint64_t>(world().n_neighbours);
  if (*plan.bytes <= free / pes) return;
  fail(
      fmt::format("SHMEM_SYMMETRIC_PARTITION{}: {} of {} on each of {} PEs: node {} has {} free. Ask for less, or for "
                  "policy=preferred",
                  plan.number, memory::size_text({*plan.bytes}), machine::to_string(*plan.kind), pes,
                  base::joined(nodes, ", "), memory::size_text({free})));
}

}  // namespace

std::vector<int> nodes_for(const PartitionPlan& plan) {
  if (!plan.kind) return {};
  const auto machine = Machine::discover();
  check(machine.status());
  const auto found = nodes_of_kind(*machine, *plan.kind);
  if (found.empty() && plan.policy == PlacePolicy::preferred) return {};
  if (found.empty()) {
    fail(
        fmt::format("SHMEM_SYMMETRIC_PARTITION{}: kind={}: this machine has no such memory that this process may use, "
                    "but {}",
                    plan.number, machine::to_string(*plan.kind), all_nodes(*machine)));
  }
  std::vector<int> nodes;
  nodes.reserve(found.size());
  for (const MemoryNode* node : found) nodes.push_back(node->os_index);
  if (plan.policy != PlacePolicy::interleaved) nodes.resize(1);  // the best first
  if (plan.policy != PlacePolicy::preferred) refuse_without_room(plan, nodes);
  return nodes;
}

bool is_there_memory_for(std::size_t more) {
  constexpr std::size_t kAsked = std::size_t{64} << 20;
  static std::size_t since_asked = 0;  // the same on all PEs
  since_asked += more;
  if (since_asked < kAsked) return true;
  const std::size_t bytes = std::exchange(since_asked, 0);
  const World& w = world();
  const platform::MemoryLimit limit = platform::physical_memory_limit();
  const auto mine = static_cast<unsigned char>(bytes <= limit.bytes / static_cast<std::uint64_t>(w.n_neighbours));
  std::vector<unsigned char> all(static_cast<std::size_t>(w.n_pes));
  check(w.transport->all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all))));
  const auto refuses = std::find(all.begin(), all.end(), 0);
  if (refuses == all.end()) return true;
  if (refuses - all.begin() == w.my_pe) {
    const std::string line =
        fmt::format("weir: PE {}: {} more on each of {} PEs of this host are not there: {} leaves {}\n", w.my_pe,
                    memory::size_text({bytes}), w.n_neighbours, limit.limited_by, memory::size_text({limit.bytes}));
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  }
  return false;
}

}  // namespace weir::shmem
