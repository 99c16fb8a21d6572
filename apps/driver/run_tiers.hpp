// SPDX-License-Identifier: Apache-2.0

// weir run stencil3d, weir run matmul: the applications whose data may be larger than fast memory.
#pragma once

#include "demos/tiers_options.hpp"

namespace weir::tool {

// The exit status.
int run_stencil3d(const Stencil3dAsked& asked, Global& global);
int run_matmul(const MatmulAsked& asked, Global& global);

}  // namespace weir::tool
