// SPDX-License-Identifier: Apache-2.0

#include "apps/matmul/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weir::apps::matmul {
namespace {

constexpr std::uint64_t kSeed = 20180913;  // of all that is random in the check
constexpr Index kRoundTo = 8;              // doubles in a line of cache
constexpr int kSamples = 256;

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

// splitmix64
constexpr std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

Index random_below(std::uint64_t salt, Index limit) {
  return static_cast<Index>(mixed(kSeed + salt) % static_cast<std::uint64_t>(limit));
}

using Vectors = std::vector<std::array<double, kVectors>>;

// `matrix` times each vector, from the formula of its entries.
Vectors product(Matrix matrix, Index n, const Vectors& x) {
  Vectors result(size(n));
  for (Index row = 0; row < n; ++row) {
    std::array<double, kVectors> sum{};
    for (Index col = 0; col < n; ++col) {
      const double value = entry(matrix, row, col);
      for (std::size_t v = 0; v < kVectors; ++v) sum[v] += value * x[size(col)][v];
    }
    result[size(row)] = sum;
  }
  return result;
}

}  // namespace

Index Shape::extent(Index at) const { return std::min(tile, size - at * tile); }

double Shape::flops() const {
  const auto n = static_cast<double>(size);
  return 2 * n * n * n;
}

Shape shape_for(std::uint64_t total_bytes, Index tiles) {
  const double n = std::sqrt(static_cast<double>(total_bytes) / (3 * sizeof(double)));
  const double lines = n / static_cast<double>(tiles * kRoundTo);
  const Index tile = std::max<Index>(1, std::lround(lines)) * kRoundTo;
  return {tile * tiles, tile};
}

double entry(Matrix matrix, Index row, Index col) {
  const auto place = static_cast<std::uint64_t>(row) * kLargestSize + static_cast<std::uint64_t>(col);
  const std::uint64_t bits = (2 * place + static_cast<std::uint64_t>(matrix) + 1) * 0x9E3779B97F4A7C15u;
  return static_cast<double>(static_cast<int>((bits ^ (bits >> 31)) >> 28 & 15) - 8);
}

void fill(const View& view, Matrix matrix, Index first_row, Index first_col) {
  for (Index r = 0; r < view.rows; ++r) {
    for (Index c = 0; c < view.cols; ++c) {
      view.data[r * view.stride + c] = entry(matrix, first_row + r, first_col + c);
    }
  }
}

Checker::Checker(const Shape& shape)
    : shape_(shape),
      sample_i_(random_below(1, shape.tiles())),
      sample_j_(random_below(2, shape.tiles())),
      x_(size(shape.size)),
      sums_(size(shape.tiles() * shape.size)) {
  for (Index col = 0; col < shape.size; ++col) {
    for (int v = 0; v < kVectors; ++v) x_[size(col)][static_cast<std::size_t>(v)] = random(v, col);
  }
}

double Checker::random(int vector, Index at) const {
  const std::uint64_t bits = mixed(kSeed + static_cast<std::uint64_t>(3 + vector + at * kVectors));
  return static_cast<double>(static_cast<Index>(bits >> 53) - 1024);
}

void Checker::add(Index i, Index j, const View& tile) {
  for (Index r = 0; r < tile.rows; ++r) {
    std::array<double, kVectors> sum{};
    for (Index c = 0; c < tile.cols; ++c) {
      const double value = tile.data[r * tile.stride + c];
      for (std::size_t v = 0; v < kVectors; ++v) sum[v] += value * x_[size(j * shape_.tile + c)][v];
    }
    sums_[size(j * shape_.size + i * shape_.tile + r)] = sum;
  }
  if (i == sample_i_ && j == sample_j_) check_sample(tile);
}

void Checker::check_sample(const View& tile) {
  for (int sample = 0; sample < kSamples; ++sample) {
    const Index r = random_below(static_cast<std::uint64_t>(100 + sample), tile.rows);
    const Index c = random_below(static_cast<std::uint64_t>(1000 + sample), tile.cols);
    const Index row = sample_i_ * shape_.tile + r, col = sample_j_ * shape_.tile + c;
    double wanted = 0;
    for (Index k = 0; k < shape_.size; ++k) wanted += entry(Matrix::a, row, k) * entry(Matrix::b, k, col);
    const double found = tile.data[r * tile.stride + c];
    if (found == wanted) continue;
    sample_wrong_ = fmt::format("C[{}][{}] is {}, not {}", row, col, found, wanted);
    return;
  }
}

std::string Checker::verdict() const {
  if (!sample_wrong_.empty()) return sample_wrong_;
  const Vectors wanted = product(Matrix::a, shape_.size, product(Matrix::b, shape_.size, x_));
  for (Index row = 0; row < shape_.size; ++row) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      double found = 0;
      for (Index j = 0; j < shape_.tiles(); ++j) found += sums_[size(j * shape_.size + row)][v];
      if (found == wanted[size(row)][v]) continue;
      return fmt::format("row {} of C times a random vector is {}, not {}", row, found, wanted[size(row)][v]);
    }
  }
  return "";
}

}  // namespace weir::apps::matmul
