// SPDX-License-Identifier: Apache-2.0

// Ways to make the tiles of a kernel run in parallel: one class for each task runtime, in a program of its own
// (weir-prk-RUNTIME), because OpenMP runtimes cannot share a process. runner_main.cpp does the rest.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/prk/kernel.hpp"

namespace weir::prk {

class Contender {
 public:
  virtual ~Contender() = default;

  // The names of its ways, "loops", "tasks", ...
  virtual std::vector<std::string> ways() const = 0;
  // Initialises all tiles of phase 0 by threads as it runs them, so that memory is where it is used.
  virtual void initialise(Kernel& kernel) = 0;
  // Runs `iterations` iterations by way number `way`; all has been written when it returns.
  virtual void run(Kernel& kernel, int iterations, std::size_t way) = 0;
};

// With exactly so many threads, the calling one included. Throws std::exception when it cannot.
std::unique_ptr<Contender> make_contender(int workers);

// The tiles of anti-diagonal `d` of a grid: rows first(d) to last(d), both included; column d - row.
struct Diagonal {
  int first, last;
};
inline Diagonal diagonal_of(const Grid& grid, int d) {
  return {d < grid.columns ? 0 : d - grid.columns + 1, d < grid.rows ? d : grid.rows - 1};
}
inline int diagonals_of(const Grid& grid) { return grid.rows + grid.columns - 1; }

// Runs the tiles of a group: see Kernel::touched().
inline void run_group(Kernel& kernel, Tile first, int grain) {
  const int columns = kernel.grid(first.phase).columns, end = first.column + grain;
  for (Tile tile = first; tile.column < end && tile.column < columns; ++tile.column) kernel.run(tile);
}

// Calls make(first) for every group of `grain` tiles of an iteration in the order in which tasks are best made: phase
// after phase, or, where the kernel says so, row by row, with row r of the next phase behind row r + lag of this one.
template <class Make>
void each_task(const Kernel& kernel, int grain, Make&& make) {
  const int phases = kernel.phases(), lag = kernel.lag();
  const auto row_of = [&](int phase, int row) {
    const Grid grid = kernel.grid(phase);
    if (row < 0 || row >= grid.rows) return;
    for (int column = 0; column < grid.columns; column += grain) make(Tile{phase, row, column});
  };
  if (lag == 0) {
    for (int phase = 0; phase < phases; ++phase)
      for (int row = 0; row < kernel.grid(phase).rows; ++row) row_of(phase, row);
    return;
  }
  for (int row = 0; row < kernel.grid(0).rows + lag * (phases - 1); ++row)
    for (int phase = 0; phase < phases; ++phase) row_of(phase, row - lag * phase);
}

}  // namespace weir::prk
