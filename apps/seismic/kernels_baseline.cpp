// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/kernels.hpp"
#include "apps/seismic/sweep.hpp"

namespace weir::apps::seismic {

extern const Kernels kBaselineKernels;
const Kernels kBaselineKernels = {"baseline",
                                  &Kernel<2>::stress_row,
                                  &Kernel<2>::velocity_row,
                                  &Kernel<2>::sweep,
                                  &Kernel<2>::sweep_bands,
                                  &Kernel<2>::stress_row_bands,
                                  &Kernel<2>::velocity_row_bands};

}  // namespace weir::apps::seismic
