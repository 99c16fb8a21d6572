// SPDX-License-Identifier: Apache-2.0

// A task for each product of two tiles: in(A), in(B), inout(C), with the order of the tasks made for reuse.
#include <vector>

#include "apps/common/stopwatch.hpp"
#include "apps/common/tier_counters.hpp"
#include "apps/matmul/solver.hpp"
#include "weir/weir.hpp"

namespace weir::apps::matmul {
namespace {

using Input = View2D<const double>;
using Output = View2D<double>;
using Tiles = Array<double, 2>;

Tiles make_matrix(Runtime& runtime, const Shape& shape, const char* name) {
  const auto n = static_cast<std::size_t>(shape.size), tile = static_cast<std::size_t>(shape.tile);
  return {runtime, {n, n}, {tile, tile}, name};
}

View view_of(Output t) {
  return {t.data(), static_cast<Index>(t.rows()), static_cast<Index>(t.cols()), static_cast<Index>(t.stride())};
}

class Product {
 public:
  explicit Product(const Settings& settings)
      : shape_(settings.shape),
        blas_(load_blas()),
        runtime_(settings.runtime),
        a_(make_matrix(runtime_, shape_, "A")),
        b_(make_matrix(runtime_, shape_, "B")),
        c_(make_matrix(runtime_, shape_, "C")) {}

  Runtime& runtime() { return runtime_; }

  // What is used last first: the products begin where this ends.
  void fill(const std::vector<Step>& steps) {
    const auto inputs = inputs_of(shape_.tiles(), steps);
    for (auto input = inputs.rbegin(); input != inputs.rend(); ++input) {
      fill(input->matrix == Matrix::a ? a_ : b_, input->matrix, input->i, input->j);
    }
    runtime_.wait();
  }

  void spawn(const Step& step) {
    const auto a = in(a_.tile(step.i, step.k));
    const auto b = in(b_.tile(step.k, step.j));
    const auto work = [this, add = !step.first](Input x, Input y, Output z) { multiply(x, y, z, add); };
    if (step.first) {
      runtime_.spawn(a, b, out(c_.tile(step.i, step.j)), name("product"), work);
    } else {
      runtime_.spawn(a, b, inout(c_.tile(step.i, step.j)), name("product"), work);
    }
  }

  std::string check() {
    Checker checker(shape_);
    for (Index i = 0; i < shape_.tiles(); ++i) {
      for (Index j = 0; j < shape_.tiles(); ++j) {
        runtime_.spawn(in(c_.tile(i, j)), name("check"), [&checker, i, j](Input tile) {
          checker.add(i, j,
                      {const_cast<double*>(tile.data()), static_cast<Index>(tile.rows()),
                       static_cast<Index>(tile.cols()), static_cast<Index>(tile.stride())});
        });
      }
    }
    runtime_.wait();
    return checker.verdict();
  }

 private:
  void fill(const Tiles& matrix, Matrix which, Index i, Index j) {
    runtime_.spawn(out(matrix.tile(i, j)), name("fill"), [this, which, i, j](Output tile) {
      matmul::fill(view_of(tile), which, i * shape_.tile, j * shape_.tile);
    });
  }

  void multiply(Input a, Input b, Output c, bool add) const {
    const auto stride = [](auto view) { return static_cast<Index>(view.stride()); };
    blas_.multiply(static_cast<Index>(c.rows()), static_cast<Index>(c.cols()), static_cast<Index>(a.cols()),
                   {a.data(), stride(a)}, {b.data(), stride(b)}, c.data(), stride(c), add);
  }

  Shape shape_;
  Blas blas_;
  Runtime runtime_;
  Tiles a_, b_, c_;
};

}  // namespace

Outcome run_weir(const Settings& settings) {
  Product product(settings);
  const std::vector<Step> steps = order_of(settings);
  product.fill(steps);
  Outcome outcome;
  const TierCounters counters(product.runtime());
  const Stopwatch watch;
  for (const Step& step : steps) product.spawn(step);
  product.runtime().wait();
  outcome.seconds = watch.seconds();
  counters.add_to(outcome);
  outcome.wrong = product.check();
  return outcome;
}

}  // namespace weir::apps::matmul
