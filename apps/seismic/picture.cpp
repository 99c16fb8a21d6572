// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/picture.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace weir::apps::seismic {
namespace {

struct Pixels {
  std::int64_t width, height;
  std::vector<double> wave;    // the strongest of the pixel's cells
  std::vector<double> ground;  // velocity of waves in its first cell, m/s
};

Pixels gather(const Problem& problem, Index longest) {
  const Index cells = (std::max(problem.rows(), problem.cols()) + longest - 1) / longest;  // a pixel's side
  Pixels p{(problem.cols() + cells - 1) / cells, (problem.rows() + cells - 1) / cells, {}, {}};
  p.wave.assign(static_cast<std::size_t>(p.width * p.height), 0.0);
  p.ground.assign(p.wave.size(), 0.0);
  const Fields& f = problem.fields();
  for (Index y = 0; y < f.rows; ++y) {
    for (Index x = 0; x < f.cols; ++x) {
      const auto at = static_cast<std::size_t>(y / cells * p.width + x / cells);
      const double v = f.velocity[y * f.stride + x];
      if (std::abs(v) > std::abs(p.wave[at])) p.wave[at] = v;
      if (y % cells == 0 && x % cells == 0) p.ground[at] = problem.wave_velocity(y, x);
    }
  }
  return p;
}

double full_colour(const std::vector<double>& wave) {
  std::vector<double> strength(wave.size());
  std::transform(wave.begin(), wave.end(), strength.begin(), [](double v) { return std::abs(v); });
  const auto rank = strength.begin() + static_cast<std::ptrdiff_t>(strength.size() - 1 - strength.size() / 1000);
  std::nth_element(strength.begin(), rank, strength.end());
  return *rank > 0 ? *rank : 1.0;
}

std::uint8_t byte(double unit) { return static_cast<std::uint8_t>(std::lround(255 * std::clamp(unit, 0.0, 1.0))); }

double mix(double a, double b, double part) { return a + (b - a) * part; }

// `wave` in [-1, 1], `ground` in [0, 1]: light grey for slow rock, darker for fast, tinted by the wave.
Rgb colour(double wave, double ground) {
  const double grey = mix(0.97, 0.62, ground);
  const double strength = std::pow(std::min(std::abs(wave), 1.0), 0.6);  // so that weak waves are seen
  if (wave >= 0)
    return {byte(mix(grey, 0.70, strength)), byte(mix(grey, 0.02, strength)), byte(mix(grey, 0.15, strength))};
  return {byte(mix(grey, 0.02, strength)), byte(mix(grey, 0.19, strength)), byte(mix(grey, 0.58, strength))};
}

}  // namespace

Picture draw(const Problem& problem, int longest) {
  const Pixels pixels = gather(problem, longest);
  const double full = full_colour(pixels.wave);
  const double span = std::max(problem.fastest() - problem.slowest(), 1e-9);
  Picture picture{static_cast<int>(pixels.width), static_cast<int>(pixels.height), {}};
  picture.pixels.reserve(pixels.wave.size());
  for (std::size_t i = 0; i < pixels.wave.size(); ++i) {
    picture.pixels.push_back(colour(pixels.wave[i] / full, (pixels.ground[i] - problem.slowest()) / span));
  }
  return picture;
}

}  // namespace weir::apps::seismic
