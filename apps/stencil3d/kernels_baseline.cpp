// SPDX-License-Identifier: Apache-2.0

#include "apps/stencil3d/kernels.hpp"
#include "apps/stencil3d/relax.hpp"

namespace weir::apps::stencil3d {

extern const Kernels kBaselineKernels;
const Kernels kBaselineKernels = {"baseline", &Relax<2>::relax};

}  // namespace weir::apps::stencil3d
