// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/setup.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weir::apps::seismic {
namespace {

// Damping over the last cells before the border: 1 inside, less and less outwards. A wave that crosses it twice keeps
// about one part in a thousand.
double damping_at(Index cells_to_border, Index width) {
  if (cells_to_border >= width) return 1.0;
  const double depth = 1.0 - static_cast<double>(cells_to_border) / static_cast<double>(width);
  return std::exp(-8.0 / static_cast<double>(width) * depth * depth);
}

Index border_width(Index rows, Index cols) { return std::clamp<Index>(std::min(rows, cols) / 16, 0, 128); }

}  // namespace

// Stable where dt/dx * sqrt(greatest stiffness / least density) < 1/sqrt(2), whatever lies next to what.
Setup::Setup(const Earth& earth, int threads) : rows_(earth.rows()), cols_(earth.cols()) {
  const Extremes e = earth.extremes(threads);
  slowest_ = e.slowest;
  fastest_ = e.fastest;
  time_step_ = 0.95 / std::numbers::sqrt2 * kCellSize / std::sqrt(e.stiffest / e.lightest);
}

void Setup::make_source(Index iterations) {
  source_row_ = rows() / 4;
  source_col_ = cols() / 2;
  const double shortest = static_cast<double>(std::max<Index>(20, std::max(rows(), cols()) / 80)) * kCellSize;
  const double frequency = slowest_ / shortest;
  pulse_.resize(static_cast<std::size_t>(iterations));
  for (std::size_t k = 0; k < pulse_.size(); ++k) {
    const double t = static_cast<double>(k) * time_step_ - 1.2 / frequency;
    const double a = std::numbers::pi * frequency * t;
    pulse_[k] = (1 - 2 * a * a) * std::exp(-a * a);
  }
}

void Setup::fill_ground(Index y, std::span<const double> velocity, std::span<const double> density,
                        const GroundRow& to) const {
  const Index width = border_width(rows(), cols());
  const double ratio = time_step_ / kCellSize;
  for (Index x = 0; x < cols(); ++x) {
    const double v = velocity[static_cast<std::size_t>(x)];
    const double rho = density[static_cast<std::size_t>(x)];
    to.material[x] = rho * v * v * ratio;
    to.damping[x] = damping_at(std::min({y, x, rows() - 1 - y, cols() - 1 - x}), width);
    to.inverse_density[x] = ratio / rho;
  }
}

}  // namespace weir::apps::seismic
