// SPDX-License-Identifier: Apache-2.0

// CostModel: how long it takes to use bytes where they are, and to copy them, by bandwidth and latency of memory nodes.
//
// Values only: it asks no system and has no clock, so that a simulator is timed by it and the data layer decides by it.
// Its maker numbers the nodes: the memory nodes of a Machine (costs_of()), or the nodes of tiers, files and emulated
// memory among them. Never changes once made; any thread.
//
// A node serves all streams that use it in equal parts. Its reads and writes share one path, so that a stream which
// does both takes the time of both. One core alone has at most the bandwidth that the cache lines it keeps in flight
// give at the latency of the node (Little's law); files and others 5 us and more away set no such limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/machine.hpp"

namespace weir::machine {

// Bytes that a task reads and writes.
struct Traffic {
  std::uint64_t read = 0, written = 0;
};

// How many other streams use a node at the same time; of a copy, either end.
struct OtherStreams {
  unsigned from = 0, to = 0;
};

class CostModel {
 public:
  // `costs`: [node][domain], at least one of each. Every read bandwidth is above 0; a write bandwidth of 0 is that of
  // reads, a latency of 0 sets no limit to a core.
  explicit CostModel(std::vector<std::vector<Cost>> costs);

  std::size_t nodes() const noexcept { return costs_.size(); }
  std::size_t domains() const noexcept { return costs_.front().size(); }
  // As it was given, with a write bandwidth.
  const Cost& cost(std::size_t node, DomainId domain) const noexcept {
    return costs_[node][static_cast<std::size_t>(domain)];
  }

  // Seconds that a core of `domain` takes to read and write `traffic` in the node while `others` streams use it, too.
  double in_place_seconds(std::size_t node, DomainId domain, Traffic traffic, unsigned others = 0) const noexcept;
  // Seconds that one thread takes to copy from node to node, in the domain where it is fastest. Reading and writing
  // overlap, but within one node.
  double copy_seconds(std::size_t from, std::size_t to, std::uint64_t bytes, OtherStreams others = {}) const noexcept;
  // Seconds for which reading and writing `traffic` keeps the node busy: what all streams together have to wait for.
  double busy_seconds(std::size_t node, DomainId domain, Traffic traffic) const noexcept;

  // Which part of the bytes that all cores of a domain read is best left in `slow`, when the rest is in `fast` and both
  // are read at the same time: then both are done at the same time. Less than a half, unless `slow` is the faster one.
  double slow_share(std::size_t fast, std::size_t slow, DomainId domain) const noexcept;

 private:
  double copy_seconds(const Cost& from, const Cost& to, bool same, std::uint64_t bytes,
                      OtherStreams others) const noexcept;

  std::vector<std::vector<Cost>> costs_;  // [node][domain]
};

// Where the costs of a machine are from.
enum class CostSource : std::uint8_t {
  measured,  // here, of all nodes
  claimed,   // by firmware, of all nodes from the domains that they are local to, which is all that Linux tells
  typical,   // of the kinds of memory
};
const char* to_string(CostSource source) noexcept;
CostSource source_of_costs(const Machine& machine, DomainId domain);

// The costs of a machine's memory nodes, [node][domain], for each domain from its source. Firmware's of memory that is
// local elsewhere only are those of there, by distance.
std::vector<std::vector<Cost>> costs_of(const Machine& machine);

// What memory of that kind costs on machines that say nothing, for a domain of so many cores; `distance` as
// Machine::distance().
Cost typical_cost(MemoryKind kind, double distance, int cores) noexcept;

}  // namespace weir::machine
