// SPDX-License-Identifier: Apache-2.0

// The sweep of METG: one graph with shorter and shorter kernels, until too little of the machine's peak is left. Pure,
// but for what runs the graphs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weir::bench {

struct SweepShape {
  double peak = 1;  // kernel iterations a nanosecond of one processor
  int processors = 1;
  int width = 8;         // columns of the graph
  long most_steps = 50;  // rows of the graph, at most; but for very long kernels no fewer than 50
};

// A graph that has been run with one kernel.
struct SweepRun {
  double wall_ns = 0;
  std::int64_t tasks = 1;
};

struct Point {
  double granularity_ns = 0;  // processor time / tasks, as Task Bench defines it
  double efficiency = 0;
};

// Doubles the kernel's time until half of the peak is reached, then halves it from where that began until the
// efficiency is hopeless. All points, from long kernels to short ones. run(steps, iterations of the kernel): what it
// gives decides alone which run is the next.
std::vector<Point> sweep(const SweepShape& shape, const std::function<SweepRun(int, std::int64_t)>& run);

// What a runner prints of it.
std::string json_of(const std::vector<Point>& points);

}  // namespace weir::bench
