// SPDX-License-Identifier: Apache-2.0

// The wave problem of section 4.1 of the KNL paper: input, state, and the check that two results are the same.
//
// In every cell a velocity V, two stresses S and T, and what the ground is like: M (stiffness), D (damping),
// L (inverse density). One iteration is two phases, each over all cells:
//
//   phase 1:  S += M * (V[y][x+1] - V[y][x])      T += M * (V[y+1][x] - V[y][x])
//   phase 2:  V  = D * (V + L * (S[y][x] - S[y][x-1] + T[y][x] - T[y-1][x]))
//
// and then the source adds to V in one cell. Outside of the grid all six are zero (fields.h). The differences are
// added in one order, ((S - S_left) + (T - T_above)), so that every variant gives the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/seismic/earth.hpp"
#include "apps/seismic/fields.h"
#include "apps/seismic/setup.hpp"
#include "base/result.hpp"
#include "platform/pages.hpp"

namespace weir::apps::seismic {

// Bytes that the plain algorithm moves per cell and iteration: phase 1 reads V, S, T, M and writes S, T; phase 2 reads
// V, S, T, D, L and writes V. With T[y-1] and V[y+1] from cache: 12 doubles.
inline constexpr double kPlainBytesPerCell = 12 * sizeof(double);

// Memory for a problem of this size, copies of the result for the check included.
std::uint64_t bytes_needed(Index rows, Index cols);

class Problem {
 public:
  // Allocates, and fills in parallel with `threads` OpenMP threads, row blocks in order, so that on a NUMA machine
  // pages are where a static schedule wants them. The source is silent until make_source().
  // no_space when the kernel refuses the memory.
  static base::Result<Problem> create(const Earth& earth, int threads);

  void make_source(Index iterations) { setup_.make_source(iterations); }

  const Fields& fields() const noexcept { return fields_; }
  Source source() const noexcept { return setup_.source(); }
  Index rows() const noexcept { return fields_.rows; }
  Index cols() const noexcept { return fields_.cols; }
  double time_step() const noexcept { return setup_.time_step(); }  // s
  double cell_size() const noexcept { return kCellSize; }           // m
  double fastest() const noexcept { return setup_.fastest(); }      // m/s
  double slowest() const noexcept { return setup_.slowest(); }
  // Velocity of waves in a cell, m/s.
  double wave_velocity(Index y, Index x) const noexcept;
  // Iterations until a wave from the source has reached about the farthest side; a guess for the picture.
  Index iterations_to_cross() const noexcept;

  // Back to rest: velocity and stresses zero.
  void reset(int threads);

  static constexpr double kCellSize = Setup::kCellSize;  // m

 private:
  Problem() = default;
  base::Status allocate(Index rows, Index cols);
  void fill_ground(const Earth& earth, int threads);

  std::vector<platform::Pages> memory_;  // one per array
  Fields fields_{};
  double* ground_[3] = {};  // material, damping, inverse density
  Setup setup_;
};

// Where two results differ first, in words: "V[12][7]: 0.5 instead of 0.25".
using Difference = std::optional<std::string>;

// A copy of velocity and stresses, to compare later results with.
class Snapshot {
 public:
  static base::Result<Snapshot> take(const Problem& problem, int threads);
  // Compares every bit of velocity and stresses of every cell.
  Difference compare(const Problem& problem, int threads) const;

 private:
  std::vector<platform::Pages> memory_;  // velocity and stresses, without ghosts
};

}  // namespace weir::apps::seismic
