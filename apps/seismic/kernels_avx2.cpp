// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/kernels.hpp"
#include "apps/seismic/sweep.hpp"

namespace weir::apps::seismic {

extern const Kernels kAvx2Kernels;
const Kernels kAvx2Kernels = {"AVX2",
                              &Kernel<4>::stress_row,
                              &Kernel<4>::velocity_row,
                              &Kernel<4>::sweep,
                              &Kernel<4>::sweep_bands,
                              &Kernel<4>::stress_row_bands,
                              &Kernel<4>::velocity_row_bands};

}  // namespace weir::apps::seismic
