// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <vector>

#include "apps/common/isolated.hpp"
#include "apps/common/stopwatch.hpp"
#include "apps/starpu/out_of_core.hpp"
#include "apps/starpu/variants.hpp"

namespace weir::apps::starpu {
namespace {

using namespace matmul;

struct Work {
  Shape shape;
  Blas blas;
  Checker checker;
};
Work* work = nullptr;

View view_of(double* data, Index i, Index j) {
  const Shape& shape = work->shape;
  return {data, shape.extent(i), shape.extent(j), shape.extent(j)};
}

void run_fill(void** buffers, void* packed) {
  const auto at = argument_of<Input>(packed);
  fill(view_of(buffer(buffers, 0), at.i, at.j), at.matrix, at.i * work->shape.tile, at.j * work->shape.tile);
}

void run_product(void** buffers, void* packed) {
  const auto at = argument_of<Step>(packed);
  const View a = view_of(buffer(buffers, 0), at.i, at.k), b = view_of(buffer(buffers, 1), at.k, at.j);
  const View c = view_of(buffer(buffers, 2), at.i, at.j);
  work->blas.multiply(c.rows, c.cols, a.cols, {a.data, a.stride}, {b.data, b.stride}, c.data, c.stride, !at.first);
}

void run_check(void** buffers, void* packed) {
  const auto at = argument_of<Step>(packed);
  work->checker.add(at.i, at.j, view_of(buffer(buffers, 0), at.i, at.j));
}

class Product {
 public:
  explicit Product(const Shape& shape) : tiles_(shape.tiles()) {
    for (auto* matrix : {&a_, &b_, &c_}) {
      for (Index t = 0; t < tiles_ * tiles_; ++t) {
        matrix->push_back(OutOfCore::make(static_cast<std::uint64_t>(shape.tile * shape.tile)));
      }
    }
  }
  ~Product() {
    for (auto* matrix : {&a_, &b_, &c_}) {
      for (const auto handle : *matrix) OutOfCore::drop(handle);
    }
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  void fill(const std::vector<Step>& steps) {
    const auto inputs = inputs_of(tiles_, steps);
    for (auto input = inputs.rbegin(); input != inputs.rend(); ++input) {
      const Tiles& matrix = input->matrix == Matrix::a ? a_ : b_;
      std::array<starpu_data_descr, 1> data = {{{at(matrix, input->i, input->j), STARPU_W}}};
      OutOfCore::submit(fill_codelet_, data, *input);
    }
    OutOfCore::wait();
  }

  void submit(const Step& step) {
    std::array<starpu_data_descr, 3> data = {{{at(a_, step.i, step.k), STARPU_R},
                                              {at(b_, step.k, step.j), STARPU_R},
                                              {at(c_, step.i, step.j), step.first ? STARPU_W : STARPU_RW}}};
    OutOfCore::submit(product_codelet_, data, step);
  }

  void check() {
    for (Index i = 0; i < tiles_; ++i) {
      for (Index j = 0; j < tiles_; ++j) {
        std::array<starpu_data_descr, 1> data = {{{at(c_, i, j), STARPU_R}}};
        OutOfCore::submit(check_codelet_, data, Step{i, j, 0, false});
      }
    }
    OutOfCore::wait();
  }

 private:
  using Tiles = std::vector<starpu_data_handle_t>;
  starpu_data_handle_t at(const Tiles& tiles, Index i, Index j) const {
    return tiles[static_cast<std::size_t>(i * tiles_ + j)];
  }

  Index tiles_;
  Tiles a_, b_, c_;
  starpu_codelet fill_codelet_ = make_codelet(run_fill, "fill");
  starpu_codelet product_codelet_ = make_codelet(run_product, "product");
  starpu_codelet check_codelet_ = make_codelet(run_check, "check");
};

}  // namespace

Outcome run(const Settings& settings) {
  const OutOfCore runtime(settings, settings.shape.total_bytes());
  Work mine{settings.shape, load_blas(), Checker(settings.shape)};
  work = &mine;
  Outcome outcome;
  outcome.budget_bytes = settings.budget;
  Product product(settings.shape);
  const std::vector<Step> steps = order_of(settings);
  product.fill(steps);
  const std::uint64_t stored = storage_bytes();
  const Stopwatch watch;
  for (const Step& step : steps) product.submit(step);
  OutOfCore::wait();
  outcome.seconds = watch.seconds();
  outcome.bytes_fetched = storage_bytes() - stored;
  product.check();
  outcome.wrong = mine.checker.verdict();
  return outcome;
}

}  // namespace weir::apps::starpu
