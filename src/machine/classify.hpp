// Which kind of memory a node is: a pure function over attributes, the same for this system and for descriptions.
//
// Rules, in this order; the reference of a node without cores is the memory of the nearest cores.
//   1. What the kernel states (a device's memory, persistent memory, a CXL device) holds.
//   2. A node that cores belong to is ordinary memory (ddr), unless rule 3 finds its companion to be that.
//   3. Bandwidth known for node and reference (1.5x is a difference):
//        more than the reference                        -> hbm
//        less, latency not above that of the reference  -> ddr, and the reference is hbm
//        less, or latency 1.5x that of the reference    -> nvm when reads are 2x faster than writes, else cxl
//        neither                                        -> ddr
//   4. Only latency known, and 1.5x that of the reference -> cxl.
//   5. Nothing known: local to more cores than the reference, so farther from each -> cxl; beside it and smaller
//      -> hbm, larger -> cxl, of equal size -> unknown.
// Memory of one sort only, HBM too, is ddr: there is nothing to tell it from, and nothing to choose.
#pragma once

#include <vector>

#include "machine/machine.hpp"

namespace weir::machine {

struct NodeFacts {
  enum class Stated : unsigned char { nothing, device, nvm, cxl };

  bool has_cores = true;
  int reference = -1;    // index of the memory of the nearest cores; ignored when has_cores
  bool farther = false;  // its locality is wider than the reference's
  Bytes capacity;
  Cost best;             // over the domains it is local to; 0: not known
  Stated stated = Stated::nothing;
};

// One kind per node, in the order of `nodes`.
std::vector<MemoryKind> classify(const std::vector<NodeFacts>& nodes);

}  // namespace weir::machine
