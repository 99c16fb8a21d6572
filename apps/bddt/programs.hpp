// SPDX-License-Identifier: Apache-2.0

// The five programs, each written once, for whatever makes the tasks (tasking.hpp).
//
// A program has fill(), which writes the input; work(), which makes the tasks; check(), which says what is wrong with
// the result, "" when nothing is. One thread.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "apps/bddt/kernels.hpp"
#include "apps/bddt/problems.hpp"
#include "apps/bddt/sizes.hpp"
#include "apps/bddt/tasking.hpp"

namespace weir::apps::bddt {

template <class Tasks, class T>
using ArrayOf = decltype(std::declval<Tasks&>().template array<T>(1, 1, 1, 1));

// A task for each part of the options: no task depends on another.
template <class Tasks>
class BlackScholes {
 public:
  BlackScholes(Tasks& tasks, const Size& size)
      : size_(size),
        options_(tasks.template array<float>(kOptionRows, size.n, kOptionRows, size.tile)),
        prices_(tasks.template array<float>(1, size.n, 1, size.tile)) {}

  void fill() {
    fill_options(options_.data(), size_.n);
    std::fill_n(prices_.data(), size_.n, std::numeric_limits<float>::quiet_NaN());  // none of a run before
  }
  void work(Tasks& tasks) {
    for (std::size_t first = 0; first < size_.n; first += size_.tile) {
      const auto price = [rows = options_.data() + first, prices = prices_.data() + first, stride = size_.n,
                          count = size_.tile] { price_options(rows, stride, prices, count); };
      tasks.task("price", price, reads(options_.tile(0, first, kOptionRows, size_.tile)),
                 writes(prices_.tile(0, first, 1, size_.tile)));
    }
  }
  std::string check() const { return check_prices(options_.data(), prices_.data(), size_.n); }

 private:
  Size size_;
  ArrayOf<Tasks, float> options_, prices_;
};

// A task for each product of two tiles.
template <class Tasks>
class Matmul {
 public:
  Matmul(Tasks& tasks, const Size& size) : size_(size), a_(square(tasks)), b_(square(tasks)), c_(square(tasks)) {}

  void fill() {
    fill_factors(a_.data(), b_.data(), size_.n);
    std::fill_n(c_.data(), size_.n * size_.n, 0.0f);
  }
  void work(Tasks& tasks) {
    for (std::size_t i = 0; i < size_.n; i += size_.tile)
      for (std::size_t j = 0; j < size_.n; j += size_.tile)
        for (std::size_t k = 0; k < size_.n; k += size_.tile) multiply(tasks, i, j, k);
  }
  std::string check() const { return check_product(a_.data(), b_.data(), c_.data(), size_.n); }

 private:
  using Array = ArrayOf<Tasks, float>;

  Array square(Tasks& tasks) { return tasks.template array<float>(size_.n, size_.n, size_.tile, size_.tile); }
  float* at(const Array& array, std::size_t row, std::size_t col) const {
    return array.data() + row * array.stride() + col;
  }
  auto tile(const Array& array, std::size_t row, std::size_t col) const {
    return array.tile(row, col, size_.tile, size_.tile);
  }
  void multiply(Tasks& tasks, std::size_t i, std::size_t j, std::size_t k) {
    const auto product = [a = at(a_, i, k), b = at(b_, k, j), c = at(c_, i, j), tile = size_.tile, n = size_.n] {
      multiply_tiles(a, b, c, tile, n);
    };
    tasks.task("product", product, reads(tile(a_, i, k)), reads(tile(b_, k, j)), updates(tile(c_, i, j)));
  }

  Size size_;
  Array a_, b_, c_;
};

// A transform in two dimensions, in place: blocks of rows, a transposition by tiles, and both once more.
template <class Tasks>
class Fourier {
 public:
  Fourier(Tasks& tasks, const Size& size)
      : size_(size), data_(tasks.template array<Complex>(size.n, size.n, size.tile, size.tile)) {}

  void fill() { fill_signal(data_.data(), size_.n); }
  void work(Tasks& tasks) {
    for (int pass = 0; pass < 2; ++pass) {
      transform(tasks);
      transpose(tasks);
    }
  }
  std::string check() const { return check_transform(data_.data(), size_.n); }

 private:
  Complex* at(std::size_t row, std::size_t col) const { return data_.data() + row * size_.n + col; }
  auto tile(std::size_t row, std::size_t col) const { return data_.tile(row, col, size_.tile, size_.tile); }

  void transform(Tasks& tasks) {
    for (std::size_t row = 0; row < size_.n; row += size_.tile) {
      const auto rows = [data = at(row, 0), tile = size_.tile, n = size_.n] { transform_rows(data, tile, n); };
      tasks.task("rows", rows, updates(data_.tile(row, 0, size_.tile, size_.n)));
    }
  }
  void transpose(Tasks& tasks) {
    for (std::size_t i = 0; i < size_.n; i += size_.tile) {
      for (std::size_t j = 0; j <= i; j += size_.tile) {
        const auto swap = [a = at(i, j), b = at(j, i), tile = size_.tile, n = size_.n] {
          transpose_tiles(a, b, tile, n);
        };
        if (i == j) {
          tasks.task("transpose", swap, updates(tile(i, i)));
        } else {
          tasks.task("transpose", swap, updates(tile(i, j)), updates(tile(j, i)));
        }
      }
    }
  }

  Size size_;
  ArrayOf<Tasks, Complex> data_;
};

// A task for each tile and step, which reads the tile and what borders on it in the array of the step before.
template <class Tasks>
class Jacobi {
 public:
  Jacobi(Tasks& tasks, const Size& size) : size_(size), from_(square(tasks)), to_(square(tasks)) {}

  void fill() {
    fill_wave(from_.data(), size_.n);
    fill_wave(to_.data(), size_.n);
  }
  void work(Tasks& tasks) {
    for (std::size_t step = 0; step < size_.iterations; ++step) {
      for (std::size_t i = 0; i < size_.n; i += size_.tile)
        for (std::size_t j = 0; j < size_.n; j += size_.tile) relax(tasks, i, j);
      std::swap(from_, to_);
    }
  }
  std::string check() const { return check_wave(from_.data(), size_.n, size_.iterations); }

 private:
  using Array = ArrayOf<Tasks, float>;
  struct Part {  // of the rows, or of the columns, of a tile: without the rim of the array, which does not change
    std::size_t first, count;
  };

  Array square(Tasks& tasks) { return tasks.template array<float>(size_.n, size_.n, size_.tile, size_.tile); }
  Part inner(std::size_t first) const {
    const std::size_t begin = first == 0 ? 1 : first, end = first + size_.tile;
    return {begin, (end == size_.n ? end - 1 : end) - begin};
  }
  // The tile, and a row or column of each of its neighbours.
  void relax(Tasks& tasks, std::size_t i, std::size_t j) {
    const std::size_t n = size_.n, tile = size_.tile;
    const auto here = reads(from_.tile(i, j, tile, tile));
    const auto above = reads(from_.tile(i == 0 ? i : i - 1, j, 1, tile));
    const auto below = reads(from_.tile(i + tile == n ? n - 1 : i + tile, j, 1, tile));
    const auto left = reads(from_.tile(i, j == 0 ? j : j - 1, tile, 1));
    const auto right = reads(from_.tile(i, j + tile == n ? n - 1 : j + tile, tile, 1));
    make(tasks, i, j, here, above, below, left, right);
  }
  template <class... Reads>
  void make(Tasks& tasks, std::size_t i, std::size_t j, const Reads&... all) {
    const Part rows = inner(i), cols = inner(j);
    const std::size_t corner = rows.first * size_.n + cols.first;
    const auto mean = [from = from_.data() + corner, to = to_.data() + corner, rows = rows.count, cols = cols.count,
                       n = size_.n] { relax_tile(from, to, rows, cols, n); };
    tasks.task("relax", mean, all..., updates(to_.tile(i, j, size_.tile, size_.tile)));
  }

  Size size_;
  Array from_, to_;
};

// Right-looking, by tiles of the lower triangle.
template <class Tasks>
class Cholesky {
 public:
  Cholesky(Tasks& tasks, const Size& size)
      : size_(size), a_(tasks.template array<double>(size.n, size.n, size.tile, size.tile)) {}

  void fill() { fill_definite(a_.data(), size_.n); }
  void work(Tasks& tasks) {
    const std::size_t n = size_.n, tile = size_.tile;
    for (std::size_t k = 0; k < n; k += tile) {
      factor(tasks, k);
      for (std::size_t i = k + tile; i < n; i += tile) solve(tasks, k, i);
      for (std::size_t i = k + tile; i < n; i += tile) {
        for (std::size_t j = k + tile; j < i; j += tile) subtract(tasks, k, i, j);
        square(tasks, k, i);
      }
    }
  }
  std::string check() const { return check_factor(a_.data(), size_.n); }

 private:
  double* at(std::size_t row, std::size_t col) const { return a_.data() + row * size_.n + col; }
  auto tile(std::size_t row, std::size_t col) const { return a_.tile(row, col, size_.tile, size_.tile); }

  void factor(Tasks& tasks, std::size_t k) {
    const auto potrf = [a = at(k, k), tile = size_.tile, n = size_.n] { factor_tile(a, tile, n); };
    tasks.task("potrf", potrf, updates(tile(k, k)));
  }
  void solve(Tasks& tasks, std::size_t k, std::size_t i) {
    const auto trsm = [l = at(k, k), a = at(i, k), tile = size_.tile, n = size_.n] { solve_tile(l, a, tile, n); };
    tasks.task("trsm", trsm, reads(tile(k, k)), updates(tile(i, k)));
  }
  void square(Tasks& tasks, std::size_t k, std::size_t i) {
    const auto syrk = [a = at(i, k), c = at(i, i), tile = size_.tile, n = size_.n] { subtract_square(a, c, tile, n); };
    tasks.task("syrk", syrk, reads(tile(i, k)), updates(tile(i, i)));
  }
  void subtract(Tasks& tasks, std::size_t k, std::size_t i, std::size_t j) {
    const auto gemm = [a = at(i, k), b = at(j, k), c = at(i, j), tile = size_.tile, n = size_.n] {
      subtract_product(a, b, c, tile, n);
    };
    tasks.task("gemm", gemm, reads(tile(i, k)), reads(tile(j, k)), updates(tile(i, j)));
  }

  Size size_;
  ArrayOf<Tasks, double> a_;
};

}  // namespace weir::apps::bddt
