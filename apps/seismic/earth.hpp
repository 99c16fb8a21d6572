// SPDX-License-Identifier: Apache-2.0

// The ground that waves travel through: seismic velocity and density of every cell.
//
// Immutable once made; any thread may read it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/common/npy.hpp"
#include "base/result.hpp"

namespace weir::apps::seismic {

struct Rock {
  const char* name;
  double velocity;  // of pressure waves, m/s
  double density;   // kg/m^3
};

// Typical values, from the surface down as the layered earth uses them.
std::span<const Rock> rocks();

// What the time step and the length of the waves are chosen from.
struct Extremes {
  double slowest = 0, fastest = 0;    // m/s
  double lightest = 0, stiffest = 0;  // kg/m^3; density times velocity squared
};

class Earth {
 public:
  virtual ~Earth() = default;
  virtual std::int64_t rows() const = 0;
  virtual std::int64_t cols() const = 0;
  // Fills velocity and density, cols() each, of one row.
  virtual void row(std::int64_t y, std::span<double> velocity, std::span<double> density) const = 0;
  // "9 layers, alluvium to basalt", "model.npy"
  virtual std::string describe() const = 0;

  // Reads every cell, with this many OpenMP threads.
  Extremes extremes(int threads) const;
};

// One layer per rock, with folds and a fault.
std::unique_ptr<Earth> layered_earth(std::int64_t rows, std::int64_t cols);

// Velocities in m/s from a .npy file, depth by width; densities after Gardner (310 * velocity^0.25 kg/m^3).
// bad_input when one is not finite or not between 1 and 20000 m/s; the message names the cell.
base::Result<std::unique_ptr<Earth>> model_earth(const std::string& path);

}  // namespace weir::apps::seismic
