// SPDX-License-Identifier: Apache-2.0

// The rows as text for people and as the data of a plot.
//
// Pure, but for machine_note(), which reads /proc.
#pragma once

#include <span>
#include <string>

#include "base/drawing.hpp"
#include "bench/report/measure.hpp"

namespace weir::bench {

// One line for each row, a heading for each benchmark, and what failed at the end.
std::string table_of(std::span<const Row> rows, std::span<const Bench> benches);

// "2 workers".
std::string workers_text(int workers);

// The median of a row that has a value, in three figures: "12.3", "> 8.91".
std::string median_text(const Row& row);

// What a reader must know of the machine: processor, cores that may be used, kernel, load, variables of the environment
// that change how the runtimes wait. Several lines.
std::string machine_note();

// The medians: a group for each benchmark, a panel for each number of workers, a logarithmic axis.
base::Drawing plot_of(std::span<const Row> rows);

}  // namespace weir::bench
