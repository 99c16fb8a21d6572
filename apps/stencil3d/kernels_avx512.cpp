// SPDX-License-Identifier: Apache-2.0

#include "apps/stencil3d/kernels.hpp"
#include "apps/stencil3d/relax.hpp"

namespace weir::apps::stencil3d {

extern const Kernels kAvx512Kernels;
const Kernels kAvx512Kernels = {"AVX-512", &Relax<8>::relax};

}  // namespace weir::apps::stencil3d
