// SPDX-License-Identifier: Apache-2.0

#include "apps/matmul/plain_tiles.hpp"

#include "weir/error.hpp"

namespace weir::apps::matmul {
namespace {

PlainMemory memory_for(const Shape& shape, const std::string& folder) {
  const auto tiles = static_cast<std::uint64_t>(shape.tiles() * shape.tiles());
  auto memory = PlainMemory::create(3 * tiles * PlainMemory::rounded(shape.tile_bytes() / sizeof(double)), folder);
  if (!memory) throw Error(memory.status().message);
  return std::move(*memory);
}

}  // namespace

PlainTiles::PlainTiles(const Shape& shape, const std::string& folder)
    : shape_(shape), blas_(load_blas()), memory_(memory_for(shape, folder)) {
  for (auto* matrix : {&a_, &b_, &c_}) {
    for (Index t = 0; t < shape.tiles() * shape.tiles(); ++t) {
      matrix->push_back(memory_.take(shape.tile_bytes() / sizeof(double)));
    }
  }
}

View PlainTiles::tile(const std::vector<double*>& matrix, Index i, Index j) const {
  return {matrix[static_cast<std::size_t>(i * shape_.tiles() + j)], shape_.extent(i), shape_.extent(j),
          shape_.extent(j)};
}

void PlainTiles::fill(Index i, Index j) {
  matmul::fill(tile(a_, i, j), Matrix::a, i * shape_.tile, j * shape_.tile);
  matmul::fill(tile(b_, i, j), Matrix::b, i * shape_.tile, j * shape_.tile);
}

void PlainTiles::work_on(const Step& step) {
  const View a = tile(a_, step.i, step.k), b = tile(b_, step.k, step.j), c = tile(c_, step.i, step.j);
  blas_.multiply(c.rows, c.cols, a.cols, {a.data, a.stride}, {b.data, b.stride}, c.data, c.stride, !step.first);
}

void PlainTiles::check(Checker& checker, Index i, Index j) const { checker.add(i, j, tile(c_, i, j)); }

}  // namespace weir::apps::matmul
