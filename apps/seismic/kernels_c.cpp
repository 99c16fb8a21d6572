// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/kernels.h"
#include "apps/seismic/kernels.hpp"
#include "apps/seismic/layout.hpp"

namespace weir::apps::seismic {
namespace {

const Kernels& kernels(unsigned set) { return *all_kernels()[set]; }

}  // namespace

extern "C" {

const char* seismic_kernels_name(unsigned set) {
  const Kernels* const* all = all_kernels();
  for (unsigned i = 0; i < set; ++i)
    if (all[i] == nullptr) return nullptr;
  return all[set] == nullptr ? nullptr : all[set]->name;
}

void seismic_stress_row(unsigned set, const Bands* bands, Index row) { kernels(set).stress_row_bands(*bands, row); }
void seismic_velocity_row(unsigned set, const Bands* bands, Index row) { kernels(set).velocity_row_bands(*bands, row); }
void seismic_sweep(unsigned set, const Bands* bands, const Source* source, const Sweep* sweep) {
  kernels(set).sweep_bands(*bands, *source, *sweep);
}

Index seismic_stride(Index cols) { return stride_for(cols); }
Index seismic_array_shift(void) { return kArrayShift; }

}  // extern "C"

}  // namespace weir::apps::seismic
