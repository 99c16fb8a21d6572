// SPDX-License-Identifier: Apache-2.0

#include "apps/stencil3d/kernels.hpp"
#include "apps/stencil3d/relax.hpp"

namespace weir::apps::stencil3d {

extern const Kernels kAvx2Kernels;
const Kernels kAvx2Kernels = {"AVX2", &Relax<4>::relax};

}  // namespace weir::apps::stencil3d
