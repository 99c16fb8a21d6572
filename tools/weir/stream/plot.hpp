// SPDX-License-Identifier: Apache-2.0

// The figures of a sweep, for gnuplot. Pure.
#pragma once

#include <span>
#include <string>

#include "stream/sweep.hpp"

namespace weir::tool {

// A script that draws the rows to `file`, whose terminal is "svg" or "png": bandwidth over threads, a panel for each
// memory and a line for each placement, loop and kind of store; where threads were not swept, a box for each memory.
std::string stream_plot(std::span<const SweepRow> rows, const std::string& terminal, const std::string& file);

}  // namespace weir::tool
