// SPDX-License-Identifier: Apache-2.0

// What a task runtime must provide to be measured: one class, made by make_contender() in <runtime>_contender.cpp.
//
// Each runtime has an executable of its own (weir-bench-<name>), because OpenMP runtimes cannot share a process, and so
// that no runtime's threads, allocator or environment disturbs another's. runner_main.cpp does the rest: arguments,
// repetitions, clocks, checks and output. All calls come from one thread, inside enter().
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/tasks/task_graph.hpp"

namespace weir::bench {

// A counter that tasks hand on, on a line of its own.
struct alignas(64) Slot {
  long value = 0;
};

// A grid of tasks; task (r, c) reads and writes rows[r] and columns[c]: after its left and its upper neighbour.
struct Wavefront {
  explicit Wavefront(int side) : rows(std::size_t(side)), columns(std::size_t(side)) {}
  void execute(int row, int column) noexcept {
    Slot& r = rows[std::size_t(row)];
    Slot& c = columns[std::size_t(column)];
    r.value = c.value = (r.value > c.value ? r.value : c.value) + 1;
  }
  int side() const noexcept { return int(rows.size()); }

  std::vector<Slot> rows, columns;
};

// Keeps the compiler from removing an empty task.
inline void empty_task() noexcept { asm volatile(""); }

class Contender {
 public:
  virtual ~Contender() = default;

  // The runtime's version, and what a reader of its numbers must know.
  virtual std::string about() const = 0;

  // Why the runtime cannot express a benchmark; empty when it can.
  virtual std::string unsupported(const std::string& /*bench*/) const { return {}; }

  // Calls `work` where tasks can be made (in the parallel region, in the arena), and returns when it has returned. On
  // this thread, or on a worker while this thread sleeps.
  virtual void enter(const std::function<void()>& work) = 0;

  // `count` tasks that call empty_task() or, to check that all run, add one to `counter`; returns when all have run.
  virtual void independent(long count) = 0;
  virtual void independent_counted(long count, std::atomic<long>& counter) = 0;

  // `count` tasks, each adding one to `slot` after its predecessor has; returns when all have run.
  virtual void chain(long count, Slot& slot) = 0;

  // The n-th Fibonacci number by two recursive calls, of which one is a task.
  virtual long fibonacci(int n) = 0;

  // All tasks of the grid.
  virtual void wavefront(Wavefront& grid) = 0;

  // What can be set up once for many runs of a graph, outside of the measured time, and its end.
  virtual void prepare(TaskGraph&) {}
  virtual void finish(TaskGraph&) {}
  // All tasks of the graph.
  virtual void task_graph(TaskGraph& graph) = 0;

  // Makes `count` independent tasks, calls `at_peak` while none of them has started, then runs them all.
  virtual void pending(long count, const std::function<void()>& at_peak) = 0;
  // How many tasks can be pending at a time. When that is less than asked, bytes are counted in the heap, not in pages.
  virtual long pending_limit() const { return 1L << 40; }
};

// Starts the runtime with exactly `workers` threads that run tasks, for one benchmark. Throws std::exception when it
// cannot.
std::unique_ptr<Contender> make_contender(int workers, const std::string& bench);

}  // namespace weir::bench
