// SPDX-License-Identifier: Apache-2.0

// The sweeps of one block, which all variants share, compiled for several instruction sets with the same bits.
//
// A pass goes through the planes of the block once and does several sweeps in its wake, in place: of each pair of
// sweeps the first writes to a ring of three planes and the second, one plane behind, back to the block. Pairs follow
// each other two planes apart, so that what is in use stays in the level 2 cache.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::apps::stencil3d {

// One block's worth of work, as plain data: kernels use nothing of the standard library (relax.hpp).
struct Relaxation {
  double* interior;       // [z][y][x], side^3, on a line of cache
  const double* halo[6];  // the neighbours' faces, by Side, each on a line of cache; not changed
  double* scratch;        // scratch_cells(), on a line of cache; one per thread
  std::int64_t side;      // a multiple of 8
  std::int64_t sweeps;    // at least 1
  std::int64_t pairs;     // of sweeps a pass; at least 1
};

struct Kernels {
  const char* name;  // of the instruction set, for people
  void (*relax)(const Relaxation&);
};

// The instruction sets that this processor has, best first; ends with a null pointer.
const Kernels* const* all_kernels();
inline const Kernels& best_kernels() { return *all_kernels()[0]; }

// Pairs of sweeps whose planes fit in a level 2 cache of this many bytes.
std::int64_t pairs_for(std::int64_t side, std::size_t level2);
// Doubles of scratch that a thread needs.
std::size_t scratch_cells(std::int64_t side, std::int64_t pairs);

}  // namespace weir::apps::stencil3d
