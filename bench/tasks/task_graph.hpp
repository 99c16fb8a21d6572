// SPDX-License-Identifier: Apache-2.0

// The task graphs of Task Bench (Slaughter et al., SC 2020): `steps` rows of `width` tasks; a task reads cells written
// by tasks of the row before, as the pattern says, runs the compute kernel, and writes its own cell.
//
// Every runtime executes the same graph by calling execute() once for each task, after the tasks it reads from. Each
// execution checks the stamps of its inputs, and verify() says whether every task ran once, on the right inputs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weir::bench {

enum class Pattern : std::uint8_t { trivial, stencil_1d, nearest, spread, fft, random_nearest };

inline constexpr std::array<std::string_view, 6> kPatternNames = {"trivial", "stencil_1d", "nearest",
                                                                  "spread",  "fft",        "random_nearest"};

// Inputs of nearest, spread and random_nearest; no pattern has more.
inline constexpr int kRadix = 5;

// Columns of the row before that a task reads, ascending for the patterns that are windows. No duplicates.
struct Inputs {
  int count = 0;
  std::array<std::int16_t, kRadix> columns{};

  const std::int16_t* begin() const noexcept { return columns.data(); }
  const std::int16_t* end() const noexcept { return columns.data() + count; }
};

// The inputs of tasks in row `step`; none for step 0. A pattern repeats after pattern_period() rows.
Inputs inputs_of(Pattern pattern, int width, int step, int column) noexcept;
int pattern_period(Pattern pattern, int width) noexcept;

// What a task leaves for those that read it. A line of its own: neighbours are written by other workers.
struct alignas(64) Cell {
  std::int32_t step = -1;
  std::int32_t column = -1;
  std::uint64_t checksum = 0;  // of the task and all its inputs, so of all that it depends on
  double value = 0;            // the kernel's result
};

class TaskGraph {
 public:
  struct Shape {
    Pattern pattern = Pattern::stencil_1d;
    int width = 8;  // 1 .. 32767
    int steps = 1000;
  };

  explicit TaskGraph(const Shape& shape);

  // Forgets all executions; the tasks' kernels will run `iterations` iterations. Not while tasks run.
  void reset(std::int64_t iterations) noexcept;

  int width() const noexcept { return shape_.width; }
  int steps() const noexcept { return shape_.steps; }
  Pattern pattern() const noexcept { return shape_.pattern; }
  std::int64_t tasks() const noexcept { return std::int64_t(shape_.width) * shape_.steps; }

  const Inputs& inputs(int step, int column) const noexcept {
    return step == 0 ? kNone : table_[std::size_t(step % period_ * shape_.width + column)];
  }

  // The cell that task (step, column) writes. A cell is used again after two rows in the patterns where a task reads
  // its neighbours and they read it, so that its inputs' order implies that the cell is free; elsewhere each task has
  // its own. Hence the only orders a runtime must keep are those from a task to the readers of its cell.
  Cell& cell(int step, int column) noexcept { return cells_[std::size_t(step % fields_ * shape_.width + column)]; }
  std::size_t cell_count() const noexcept { return std::size_t(fields_) * std::size_t(shape_.width); }
  Cell* cells() noexcept { return cells_.get(); }

  // The body of task (step, column). Any thread.
  void execute(int step, int column) noexcept;

  // Empty when every task ran exactly once and on the right inputs since reset(), else what went wrong first.
  std::string verify() const;

 private:
  // Executions counted by one thread. Exact in sum, also when more threads than slots share them.
  struct alignas(64) Count {
    std::atomic<std::int64_t> executions{0};
  };
  static constexpr std::size_t kCounts = 64;
  static const Inputs kNone;

  void count_execution() noexcept;
  void fail(int step, int column, int input) noexcept;
  std::string missing() const;
  std::string wrong_checksum() const;

  Shape shape_;
  int period_;
  int fields_;
  std::int64_t iterations_ = 0;
  std::vector<Inputs> table_;  // period_ x width
  std::unique_ptr<Cell[]> cells_;
  std::unique_ptr<Count[]> counts_;        // by thread: a counter for each task would travel with its column
  std::atomic<std::uint64_t> failure_{0};  // the first, packed; 0: none. Written once, by a task
};

}  // namespace weir::bench
