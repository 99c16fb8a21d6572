// SPDX-License-Identifier: Apache-2.0

// In which order the cores of a machine are given to threads: next to each other, far from each other, or one for each
// second-level cache first.
//
// Pure functions over a machine, described or real. Any thread.
#pragma once

#include <vector>

#include "machine/machine.hpp"

namespace weir::machine {

enum class Placement : unsigned char {
  compact,  // core after core, tile after tile, domain after domain: "stride 1" where two cores share a cache
  scatter,  // the next thread goes to the next domain, of the next package first; within a domain, to the next tile
  tile,     // the first core of every tile, domain after domain, then the second of each: "stride 2"
};
const char* to_string(Placement placement) noexcept;

// The CPUs to bind `count` threads to, a core each; more threads than cores share them, in the same order. `domains`
// empty: all. count 0: a thread per core of them.
std::vector<std::vector<int>> place_threads(const Machine& machine, const std::vector<DomainId>& domains,
                                            Placement placement, int count);

// How many tiles these domains have: sets of cores that share a second-level cache. As many as cores where each core
// has its own, or none is known.
int tile_count(const Machine& machine, const std::vector<DomainId>& domains);

}  // namespace weir::machine
