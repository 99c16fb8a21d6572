// SPDX-License-Identifier: Apache-2.0

// A task graph over the ranks of a job, as `weir bench tasks --ranks` has it run: what a program has to provide (one
// class), and what asks it for its numbers. Columns belong to ranks in runs of neighbours.
//
// PROGRAM BENCH WORKERS COUNT REPEAT WIDTH PROCESSORS: one benchmark, by the workers of each rank on the processors
// that all ranks have together, as one JSON line on standard output of rank 0, as bench/tasks/runner_main.cpp prints
// it. PROGRAM check WORKERS: every graph once, no output. PROGRAM about, without a launcher: {"about": ...}.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "bench/tasks/measuring.hpp"
#include "bench/tasks/task_graph.hpp"

namespace weir::bench {

// The rank that has a column; the columns that a rank has.
inline int owner_of(int column, int width, int ranks) noexcept { return int(long(column) * ranks / width); }
inline Columns columns_of(int rank, int width, int ranks) noexcept {
  const auto first_of = [&](int r) { return int((long(r) * width + ranks - 1) / ranks); };
  return {first_of(rank), first_of(rank + 1) - first_of(rank)};
}

// All calls come from one thread of each rank, in the same order; all are collective but rank() and ranks().
class GraphJob {
 public:
  virtual ~GraphJob() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  virtual void barrier() = 0;
  // What rank 0 says.
  virtual double of_root(double value) = 0;

  // What can be set up once for many runs of a graph, and its end.
  virtual void prepare(TaskGraph&) {}
  virtual void finish(TaskGraph&) {}
  // After TaskGraph::reset(), where cells lie elsewhere, too.
  virtual void reset(TaskGraph&) {}
  // The tasks of this rank's columns; returns when they have run.
  virtual void task_graph(TaskGraph& graph) = 0;
  // Brings the newest cells of this rank's columns to where verify() looks for them.
  virtual void collect(TaskGraph&) {}

  Columns own_columns(const TaskGraph& graph) const noexcept { return columns_of(rank(), graph.width(), ranks()); }
};

// What the arguments ask for. Throws std::runtime_error that says how the program is used.
struct GraphRequest {
  enum class What { measure, check, about } what = What::measure;
  Request of;
  int processors = 1;  // of all ranks: a rank may be bound to some of them
};
GraphRequest graph_request_of(std::span<char* const> arguments);

// Kernel iterations a nanosecond of one worker while all ranks measure it; before the job has threads.
double graph_peak_of(const GraphRequest& request);

// main() of such a program: what `run` gives, or 1 and what it has thrown on standard error. The process ends with
// whoever has started it.
int graph_main(int argc, char** argv, int (*run)(std::span<char* const> arguments));

// Does what is asked for, on every rank. Throws when a graph was run wrongly.
void run_graph_job(const GraphRequest& request, GraphJob& job, double peak);

}  // namespace weir::bench
