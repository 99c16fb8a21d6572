// SPDX-License-Identifier: Apache-2.0

// What a simulation follows from besides its state: the size, the time step, the source, and the material of each row.
//
// Small, whatever the size of the grid. Any thread may read it.
#pragma once

#include <span>
#include <vector>

#include "apps/seismic/earth.hpp"
#include "apps/seismic/fields.h"

namespace weir::apps::seismic {

class Setup {
 public:
  Setup() = default;
  // Reads all of the earth, with this many OpenMP threads. The source is silent until make_source().
  Setup(const Earth& earth, int threads);

  // A Ricker pulse a quarter of the way down, for this many iterations. Its shortest waves are long enough for the grid
  // to carry them and for the eye.
  void make_source(Index iterations);

  Index rows() const noexcept { return rows_; }
  Index cols() const noexcept { return cols_; }
  Source source() const noexcept { return {source_row_, source_col_, pulse_.data()}; }
  double time_step() const noexcept { return time_step_; }  // s
  double fastest() const noexcept { return fastest_; }      // m/s
  double slowest() const noexcept { return slowest_; }

  // Row y of the ground, for the caller's arrays of cols() cells: what the kernels read, out of what rock is there.
  struct GroundRow {
    double* material;
    double* damping;
    double* inverse_density;
  };
  void fill_ground(Index y, std::span<const double> velocity, std::span<const double> density,
                   const GroundRow& to) const;

  static constexpr double kCellSize = 5.0;  // m

 private:
  Index rows_ = 0, cols_ = 0;
  double time_step_ = 0, fastest_ = 0, slowest_ = 0;
  Index source_row_ = 0, source_col_ = 0;
  std::vector<double> pulse_;
};

}  // namespace weir::apps::seismic
