// SPDX-License-Identifier: Apache-2.0

// The row kernels, which all variants share, compiled for several instruction sets.
//
// All give the same bits. A kernel reads and writes what its name and fields.h say; whoever calls it sees to it that
// no other thread is at the same cells.
#pragma once

#include "apps/seismic/fields.h"

namespace weir::apps::seismic {

struct Kernels {
  const char* name;                                                // of the instruction set, for people
  void (*stress_row)(const Fields&, Index row);                    // phase 1 of one row
  void (*velocity_row)(const Fields&, Index row);                  // phase 2 of one row, without the source
  void (*sweep)(const Fields&, const Source&, const Sweep&);       // both phases of a skewed box, with the source
  void (*sweep_bands)(const Bands&, const Source&, const Sweep&);  // the same of a grid cut in bands
  void (*stress_row_bands)(const Bands&, Index row);
  void (*velocity_row_bands)(const Bands&, Index row);
};

// The instruction sets that this processor has, best first; ends with a null pointer.
const Kernels* const* all_kernels();

inline const Kernels& best_kernels() { return *all_kernels()[0]; }

}  // namespace weir::apps::seismic
