// SPDX-License-Identifier: Apache-2.0

// The rows of the Parallel Research Kernels as text for people and as a plot. Pure.
#pragma once

#include <span>
#include <string>

#include "base/drawing.hpp"
#include "bench/prk/measure.hpp"

namespace weir::bench {

// A heading for each kernel, kind of store, memory and number of workers, a line for each way below it; in the end what
// failed.
std::string prk_table(std::span<const PrkRow> rows);

// For each heading of the table: the best of Weir's ways with a barrier between iterations over the best such
// other, and its tasks over the best plain loop.
std::string prk_verdict(std::span<const PrkRow> rows);

// A panel for each kernel and number of workers, a group of bars for each way, a bar for each memory and kind of store.
base::Drawing prk_plot(std::span<const PrkRow> rows);

}  // namespace weir::bench
