// SPDX-License-Identifier: Apache-2.0

// The figures of a sweep, for gnuplot. Pure.
#pragma once

#include <span>

#include "base/drawing.hpp"
#include "stream/sweep.hpp"

namespace weir::tool {

// Bandwidth over threads, a panel for each memory and a line for each placement, loop and kind of store; where threads
// were not swept, a box for each memory.
base::Drawing stream_plot(std::span<const SweepRow> rows);

}  // namespace weir::tool
