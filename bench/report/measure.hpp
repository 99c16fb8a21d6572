// SPDX-License-Identifier: Apache-2.0

// Runs the benchmark processes, interleaved, and gathers a row for each (benchmark, runtime, number of workers).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bench/report/metg.hpp"
#include "bench/report/plan.hpp"
#include "bench/report/progress.hpp"

namespace weir::bench {

struct Summary {
  double median = 0, least = 0, most = 0;
};

// `samples` is not empty.
Summary summary_of(std::vector<double> samples);

struct Row {
  std::string bench;
  std::string runtime;
  int workers = 1;
  std::string unit = "ns";           // ns, bytes or us
  std::vector<double> samples;       // one for each process: its median
  double worst = 0;                  // the slowest single run of all; 0: not measured
  std::vector<double> cpu_samples;   // processor time in the unit, where measured
  std::vector<double> cold_samples;  // the first run in each process, where measured
  std::vector<double> line_samples;  // what a cache line took from core to core meanwhile, in ns, where measured
  std::vector<Bound> bounds;         // of a METG: of each sample
  double ratio = 0;                  // to Weir with as many workers; 0: unknown, or one of the two is a bound
  double over_processors = 0;  // with more workers than processors: to itself with as many as there are; 0: unknown
  std::string unsupported;     // why the runtime cannot express this benchmark
  std::string error;           // what failed; the row then has no value

  bool has_value() const noexcept { return error.empty() && !samples.empty(); }
  // What the median is: a bound when most samples are.
  Bound bound() const noexcept;
};

// Adds what one runner process printed. Fails with bad_input when it is not what runner_main.cpp prints.
base::Status add_output(Row& row, const std::string& output);

// Sets the ratio of each row that has a value and a Weir row to compare with.
void compare_with_weir(std::span<Row> rows);

// Sets over_processors of the rows with more workers than `processors`, where the row with as many is there, too.
void compare_with_processors(std::span<Row> rows, int processors);

// What to measure: every benchmark with every runner, `workers` being empty for each benchmark's default.
struct Measurement {
  std::vector<Bench> benches;
  std::vector<Runner> runners;
  std::vector<int> workers;
  int processors = 1;  // that this process may use
  Amount amount;
};

// Measures everything, in rounds; in a round the runtimes take turns at each benchmark. `progress` is called before
// each process. A process that fails ends the measuring of its row, which then has an error. Rows come in the order of
// the table.
std::vector<Row> measure(const Measurement& what, const OnProgress& progress);

}  // namespace weir::bench
