// SPDX-License-Identifier: Apache-2.0

// All METG rows side by side: patterns and runtimes down, numbers of workers and the two kinds of memory across. Pure.
#pragma once

#include <span>
#include <string>

#include "bench/report/measure.hpp"

namespace weir::bench {

// Medians in us; "" when no row is a METG.
std::string metg_table_of(std::span<const Row> rows);

}  // namespace weir::bench
