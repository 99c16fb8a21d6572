// SPDX-License-Identifier: Apache-2.0

// The applications in StarPU, out of core: the same tasks in the same order as Weir's.
#pragma once

#include "apps/matmul/solver.hpp"
#include "apps/stencil3d/solver.hpp"

namespace weir::apps::starpu {

// Throw std::exception when StarPU does not start, or refuses a task.
Outcome run(const stencil3d::Settings& settings);
Outcome run(const matmul::Settings& settings);

}  // namespace weir::apps::starpu
