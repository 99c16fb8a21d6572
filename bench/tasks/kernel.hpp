// SPDX-License-Identifier: Apache-2.0

// The compute-bound kernel of the task-graph benchmarks: eight independent chains of multiply-adds on registers.
//
// It touches no memory, so its rate depends on the core alone. Any thread.
#pragma once

#include <cstdint>

namespace weir::bench {

// `iterations` times eight multiply-adds, about 2 ns each time. The result depends on `seed` and on every iteration.
double compute(std::int64_t iterations, double seed) noexcept;

// How many processors that many workers have: no more than this process may use.
int processors_for(int workers);

// Kernel iterations per nanosecond and thread while `threads` threads run nothing else: the best of a few bursts, since
// whatever else the machine does can only slow one down. Starts and joins its own threads; takes about 50 ms.
double peak_iterations_per_ns(int threads);

}  // namespace weir::bench
