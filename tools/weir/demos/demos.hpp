// SPDX-License-Identifier: Apache-2.0

// The verbs that are programs for measuring: their options, help and errors are the command line's; the work is done by
// weir-demos, a program beside this one, which has what they are compared with (OpenMP, oneTBB, OpenBLAS, PNG).
#pragma once

#include "verb.hpp"

namespace weir::tool {

// seismic, stencil3d and matmul, below `run`.
void add_demos(CLI::App& run, Global& global);
// bench, with all that is below it.
void add_bench_demos(CLI::App& app, Global& global);

}  // namespace weir::tool
