// SPDX-License-Identifier: Apache-2.0

// A task graph that checks itself: each task of a grid (patterns.hpp) reads the cells that its inputs wrote, runs the
// compute kernel, and writes a cell of its own.
//
// Every runtime executes the same graph by calling execute() once for each task, after the tasks it reads from and
// after those that still use the cell it overwrites. Each execution checks the stamps of its inputs, and verify() says
// whether every task ran once, on the right inputs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/tasks/patterns.hpp"

namespace weir::bench {

// What a task leaves for those that read it. A line of its own: neighbours are written by other workers.
struct alignas(64) Cell {
  std::int32_t step = -1;
  std::int32_t column = -1;
  std::uint64_t checksum = 0;  // of the task and all its inputs, so of all that it depends on
  double value = 0;            // the kernel's result
};

enum class Memory : std::uint8_t {
  used_again,  // each column has two cells that take turns; the same ones in every run
  fresh,       // each task of each run has a cell at an address that was never used before
};

// Cells of a column that take turns where they are used again.
inline constexpr int kCellsOfColumn = 2;

class TaskGraph {
 public:
  using Inputs = std::span<const std::int16_t>;
  // A task of an earlier row: `back` rows before.
  struct Earlier {
    std::int16_t back = 1;
    std::int16_t column = 0;
  };

  explicit TaskGraph(const Grid& grid, Memory memory = Memory::used_again);
  ~TaskGraph();
  TaskGraph(const TaskGraph&) = delete;
  TaskGraph& operator=(const TaskGraph&) = delete;

  // Forgets all executions; the tasks' kernels will run `iterations` iterations. With fresh memory all cells are
  // others from now on. Not while tasks run. Called before the first execution, too.
  void reset(std::int64_t iterations);

  int width() const noexcept { return grid_.width; }
  int steps() const noexcept { return grid_.steps; }
  Pattern pattern() const noexcept { return grid_.pattern; }
  Memory memory() const noexcept { return memory_; }
  std::int64_t tasks() const noexcept { return rows_.back().first_task; }

  // The columns that have a task in this row.
  Columns columns(int step) const noexcept { return rows_[std::size_t(step)].columns; }
  // Tasks are numbered row by row, without gaps.
  std::int64_t number(int step, int column) const noexcept {
    const Row& row = rows_[std::size_t(step)];
    return row.first_task + column - row.columns.first;
  }

  // Columns of the row before.
  Inputs inputs(int step, int column) const noexcept { return inputs_.of(rows_[std::size_t(step)].entry, column); }
  // The tasks that use the cell which this one overwrites, as far as its inputs do not come after them anyhow. A
  // runtime that is told what tasks read and write finds them itself; where edges are named by hand, each needs one.
  std::span<const Earlier> users_before(int step, int column) const noexcept {
    return users_.of(rows_[std::size_t(step)].entry, column);
  }

  // The cell that task (step, column) writes.
  Cell& cell(int step, int column) noexcept {
    return cells_[rows_[std::size_t(step)].first_cell + std::size_t(column)];
  }
  std::span<Cell> cells() noexcept { return {cells_, cell_count_}; }

  // The body of task (step, column). Any thread.
  void execute(int step, int column) noexcept;
  // The same where cells lie elsewhere: those of inputs() in its order, and the task's own. What of them is the newest
  // is copied to cell() before verify().
  void execute(int step, int column, std::span<const Cell* const> inputs, Cell& own) noexcept;

  // Empty when every task ran exactly once and on the right inputs since reset(), else what went wrong first.
  std::string verify() const { return verify({0, grid_.width}); }
  // The same for tasks of these columns; others did not run here.
  std::string verify(const Columns& own) const;

 private:
  struct Row {
    Columns columns;
    std::uint32_t entry = 0;     // of column 0 in the tables; rows that are alike share theirs
    std::size_t first_cell = 0;  // of column 0
    std::int64_t first_task = 0;
  };
  // A list for each entry, one behind the other.
  template <class T>
  class Lists {
   public:
    std::span<const T> of(std::uint32_t entry, int column) const noexcept {
      const std::size_t at = entry + std::size_t(column);
      return {items_.data() + starts_[at], starts_[at + 1] - starts_[at]};
    }
    void append(const std::vector<T>& items) {
      items_.insert(items_.end(), items.begin(), items.end());
      starts_.push_back(std::uint32_t(items_.size()));
    }

   private:
    std::vector<T> items_;
    std::vector<std::uint32_t> starts_{0};
  };
  // Executions counted by one thread. Exact in sum, also when more threads than slots share them.
  struct alignas(64) Count {
    std::atomic<std::int64_t> executions{0};
  };
  static constexpr std::size_t kCounts = 64;

  void make_rows();
  void make_lists(int step);
  std::vector<Earlier> find_users(int step, int column, const std::vector<std::int16_t>& readers) const;
  std::vector<std::vector<std::int16_t>> readers_in(int step) const;
  void release() noexcept;
  void count_execution() noexcept;
  template <class Input>
  void execute_on(int step, int column, Cell& own, Input&& input) noexcept;
  void fail(int step, int column, int input) noexcept;
  const Cell& left_by(int step, int column) const noexcept;
  Columns common(int step, const Columns& own) const noexcept;
  std::string missing(const Columns& own) const;
  std::string wrong_checksum(const Columns& own) const;

  Grid grid_;
  Memory memory_;
  int fields_;  // rows of cells
  std::int64_t iterations_ = 0;
  std::vector<Row> rows_;  // and one more, whose first task is the number of tasks
  Lists<std::int16_t> inputs_;
  Lists<Earlier> users_;
  std::size_t cell_count_;
  Cell* cells_ = nullptr;                  // owned
  std::unique_ptr<Count[]> counts_;        // by thread: a counter for each task would travel with its column
  std::atomic<std::uint64_t> failure_{0};  // the first, packed; 0: none. Written once, by a task
};

}  // namespace weir::bench
