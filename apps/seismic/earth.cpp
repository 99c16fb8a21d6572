// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/earth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace weir::apps::seismic {
namespace {

constexpr std::array<Rock, 9> kRocks = {{{"alluvium", 1800, 1950},
                                         {"clay", 2200, 2050},
                                         {"sandstone", 3000, 2300},
                                         {"shale", 2600, 2400},
                                         {"limestone", 4200, 2550},
                                         {"salt", 4500, 2160},
                                         {"dolomite", 5200, 2750},
                                         {"granite", 5700, 2670},
                                         {"basalt", 6100, 2900}}};

class LayeredEarth final : public Earth {
 public:
  LayeredEarth(std::int64_t rows, std::int64_t cols) : rows_(rows), cols_(cols) {
    for (std::size_t layer = 0; layer < bottom_.size(); ++layer) {
      bottom_[layer].resize(static_cast<std::size_t>(cols));
      for (std::int64_t x = 0; x < cols; ++x) bottom_[layer][static_cast<std::size_t>(x)] = bottom(layer, x);
    }
  }
  std::int64_t rows() const override { return rows_; }
  std::int64_t cols() const override { return cols_; }
  std::string describe() const override {
    return fmt::format("{} layers, {} to {}", kRocks.size(), kRocks.front().name, kRocks.back().name);
  }
  void row(std::int64_t y, std::span<double> velocity, std::span<double> density) const override {
    for (std::size_t x = 0; x < velocity.size(); ++x) {
      std::size_t layer = 0;
      while (layer < bottom_.size() && static_cast<double>(y) >= bottom_[layer][x]) ++layer;
      velocity[x] = kRocks[layer].velocity;
      density[x] = kRocks[layer].density;
    }
  }

 private:
  // Depth, in rows, at which a layer ends: folded, and down by 4 % to the right of a fault that leans.
  double bottom(std::size_t layer, std::int64_t x) const {
    const double across = (static_cast<double>(x) + 0.5) / static_cast<double>(cols_);
    const double depth = static_cast<double>(layer + 1) / static_cast<double>(kRocks.size());
    const double order = static_cast<double>(layer);
    const double fold = 0.018 * std::sin(2 * std::numbers::pi * (across * (1.0 + 0.25 * order) + 0.13 * order));
    const double throw_of_fault = across > 0.7 - 0.12 * depth ? 0.04 : 0.0;
    return static_cast<double>(rows_) * (depth + fold + throw_of_fault);
  }

  std::int64_t rows_, cols_;
  std::array<std::vector<double>, kRocks.size() - 1> bottom_;  // of each layer but the last, per column
};

class ModelEarth final : public Earth {
 public:
  ModelEarth(std::string path, NpyArray array) : path_(std::move(path)), array_(std::move(array)) {}
  std::int64_t rows() const override { return array_.rows; }
  std::int64_t cols() const override { return array_.cols; }
  std::string describe() const override { return path_; }
  void row(std::int64_t y, std::span<double> velocity, std::span<double> density) const override {
    const float* from = array_.values.data() + y * array_.cols;
    for (std::size_t x = 0; x < velocity.size(); ++x) {
      velocity[x] = from[x];
      density[x] = 310.0 * std::sqrt(std::sqrt(velocity[x]));
    }
  }

 private:
  std::string path_;
  NpyArray array_;
};

}  // namespace

std::span<const Rock> rocks() { return kRocks; }

Extremes Earth::extremes(int threads) const {
  double slowest = 1e300, fastest = 0, lightest = 1e300, stiffest = 0;
#pragma omp parallel num_threads(threads) reduction(min : slowest, lightest) reduction(max : fastest, stiffest)
  {
    std::vector<double> velocity(static_cast<std::size_t>(cols())), density(velocity.size());
#pragma omp for schedule(static)
    for (std::int64_t y = 0; y < rows(); ++y) {
      row(y, velocity, density);
      for (std::size_t x = 0; x < velocity.size(); ++x) {
        slowest = std::min(slowest, velocity[x]);
        fastest = std::max(fastest, velocity[x]);
        lightest = std::min(lightest, density[x]);
        stiffest = std::max(stiffest, density[x] * velocity[x] * velocity[x]);
      }
    }
  }
  return {slowest, fastest, lightest, stiffest};
}

std::unique_ptr<Earth> layered_earth(std::int64_t rows, std::int64_t cols) {
  return std::make_unique<LayeredEarth>(rows, cols);
}

base::Result<std::unique_ptr<Earth>> model_earth(const std::string& path) {
  auto array = read_npy(path);
  if (!array) return array.status();
  const auto wrong = std::find_if_not(array->values.begin(), array->values.end(),
                                      [](float v) { return v >= 1.0F && v <= 20000.0F; });  // false for NaN too
  if (wrong != array->values.end()) {
    const auto at = wrong - array->values.begin();
    return base::Status{base::Code::bad_input,
                        fmt::format("{}: velocity {} m/s at row {}, column {}; wanted 1 to 20000 m/s everywhere", path,
                                    *wrong, at / array->cols, at % array->cols)};
  }
  std::unique_ptr<Earth> earth = std::make_unique<ModelEarth>(path, std::move(*array));
  return earth;
}

}  // namespace weir::apps::seismic
