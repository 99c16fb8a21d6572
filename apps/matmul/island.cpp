// SPDX-License-Identifier: Apache-2.0

// A task for each product of two tiles, on processes without coherent memory. Tiles lie one by one, in whole lines of
// cache, so that a task's footprint is what it needs and nothing beside it.
#include "weir/island.hpp"

#include <vector>

#include "apps/common/island_options.hpp"
#include "apps/common/stopwatch.hpp"
#include "apps/matmul/solver.hpp"

namespace weir::apps::matmul {
namespace {

std::size_t cells(const View& tile) { return static_cast<std::size_t>(tile.rows * tile.cols); }

class Product {
 public:
  explicit Product(const Settings& settings)
      : shape_(settings.shape), blas_(load_blas()), master_(island_options(settings, settings.shape.total_bytes())) {
    for (auto* matrix : {&a_, &b_, &c_}) {
      for (Index t = 0; t < shape_.tiles() * shape_.tiles(); ++t) {
        const Index tile = shape_.extent(t / shape_.tiles()) * shape_.extent(t % shape_.tiles());
        matrix->push_back(master_.allocate<double>(static_cast<std::size_t>(tile)));
      }
    }
  }

  void fill(const std::vector<Step>& steps) {
    for (const auto& [matrix, i, j] : inputs_of(shape_.tiles(), steps)) {
      const View tile = view(matrix == Matrix::a ? a_ : b_, i, j);
      const Index row = i * shape_.tile, col = j * shape_.tile;
      master_.spawn(out(tile.data, cells(tile)), name("fill"),
                    [tile, which = matrix, row, col] { matmul::fill(tile, which, row, col); });
    }
    master_.wait();
  }

  void spawn(const Step& step) {
    const View a = view(a_, step.i, step.k), b = view(b_, step.k, step.j), c = view(c_, step.i, step.j);
    // The workers are forked after blas_ was loaded: they have it at the same address.
    const auto work = [blas = &blas_, a, b, c, add = !step.first] {
      blas->multiply(c.rows, c.cols, a.cols, {a.data, a.stride}, {b.data, b.stride}, c.data, c.stride, add);
    };
    if (step.first) {
      master_.spawn(in(a.data, cells(a)), in(b.data, cells(b)), out(c.data, cells(c)), name("product"), work);
    } else {
      master_.spawn(in(a.data, cells(a)), in(b.data, cells(b)), inout(c.data, cells(c)), name("product"), work);
    }
  }
  void wait() { master_.wait(); }

  std::string check() const {
    Checker checker(shape_);
    for (Index i = 0; i < shape_.tiles(); ++i) {
      for (Index j = 0; j < shape_.tiles(); ++j) checker.add(i, j, view(c_, i, j));
    }
    return checker.verdict();
  }

 private:
  View view(const std::vector<double*>& matrix, Index i, Index j) const {
    return {matrix[static_cast<std::size_t>(i * shape_.tiles() + j)], shape_.extent(i), shape_.extent(j),
            shape_.extent(j)};
  }

  Shape shape_;
  Blas blas_;
  island::Master master_;  // after what its workers need
  std::vector<double*> a_, b_, c_;
};

}  // namespace

Outcome run_island(const Settings& settings) {
  Product product(settings);
  const std::vector<Step> steps = order_of(settings);
  product.fill(steps);
  Outcome outcome;
  const Stopwatch watch;
  for (const Step& step : steps) product.spawn(step);
  product.wait();
  outcome.seconds = watch.seconds();
  outcome.wrong = product.check();
  return outcome;
}

}  // namespace weir::apps::matmul
