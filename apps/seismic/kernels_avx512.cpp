// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/kernels.hpp"
#include "apps/seismic/sweep.hpp"

namespace weir::apps::seismic {

extern const Kernels kAvx512Kernels;
const Kernels kAvx512Kernels = {"AVX-512",
                                &Kernel<8>::stress_row,
                                &Kernel<8>::velocity_row,
                                &Kernel<8>::sweep,
                                &Kernel<8>::sweep_bands,
                                &Kernel<8>::stress_row_bands,
                                &Kernel<8>::velocity_row_bands};

}  // namespace weir::apps::seismic
