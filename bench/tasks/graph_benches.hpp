// SPDX-License-Identifier: Apache-2.0

// The benchmarks that run task graphs: metg_GRAPH and small_GRAPH, where GRAPH is a pattern (patterns.hpp), with
// "_fresh" behind it where each task writes memory that was never named before. Every run is verified.
#pragma once

#include <string>

#include "bench/tasks/contender.hpp"
#include "bench/tasks/measuring.hpp"

namespace weir::bench {

bool is_graph_bench(const std::string& bench);

// `peak`: kernel iterations a nanosecond of one of those processors. Prints the result; throws when a graph was run
// wrongly.
void run_graph_bench(Contender& contender, const Request& request, double peak);

// Runs every pattern with both kinds of memory once, in several shapes. Throws when one was run wrongly.
void check_graphs(Contender& contender);

}  // namespace weir::bench
