// SPDX-License-Identifier: Apache-2.0

// Which kind of memory a node is: a pure function over attributes, the same for this system and for descriptions.
//
// First the ordinary memory of each set of cores is found, among the nodes attached to it: that of least latency where
// latencies are known (HBM and CXL both answer later than DDR), else the one that the kernel says cores belong to, else
// the largest. Every other node is compared with it:
//   1. What the kernel states (a device's memory, persistent memory, a CXL device) holds.
//   2. Bandwidth known for both (1.5x is a difference): more -> hbm; less, or 1.5x the latency -> nvm when reads are 2x
//      faster than writes, else cxl; neither -> ddr.
//   3. Only latency known, and 1.5x that of ordinary memory -> cxl.
//   4. Nothing known: attached to a wider set of cores, so farther from each -> cxl; beside it and smaller -> hbm,
//   larger
//      -> cxl, of equal size -> unknown.
// Memory of one sort only, HBM too, is ddr: there is nothing to tell it from, and nothing to choose.
#pragma once

#include <optional>
#include <vector>

#include "machine/machine.hpp"

namespace weir::machine {

struct NodeFacts {
  enum class Stated : unsigned char { nothing, device, nvm, cxl };

  int locality = 0;  // which set of cores it is attached to: any number, equal for equal sets
  int compared = 0;  // the locality whose ordinary memory it is compared with: its own, else a narrower one within
  std::optional<bool> has_cores;  // the kernel's word; none in descriptions
  Bytes capacity;
  Cost best;  // over the cores it is local to; 0: not known
  Stated stated = Stated::nothing;
};

// Index of the ordinary memory of a locality; -1 when no node is attached to it but such with a stated kind.
int ordinary_node(const std::vector<NodeFacts>& nodes, int locality);

// One kind per node, in the order of `nodes`.
std::vector<MemoryKind> classify(const std::vector<NodeFacts>& nodes);

}  // namespace weir::machine
