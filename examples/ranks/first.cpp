// SPDX-License-Identifier: Apache-2.0

// What docs/ranks.md begins with: tiles of an array that belong to ranks in turn, and a chain of tasks through all of
// them.
#include <weir/ranks.hpp>

int main() {
  weir::Ranks ranks;
  const std::size_t n = 2048, tile = 256, tiles = n / tile;
  auto a = weir::Array<double, 2>::distribute(ranks, {n, n}, {tile, tile}, weir::block_cyclic_2d(1, ranks.size()), "a");
  for (std::size_t i = 0; i < tiles; ++i)
    for (std::size_t j = 0; j < tiles; ++j)
      ranks.spawn(weir::out(a.tile(i, j)), [](weir::View2D<double> t) { t(0, 0) = 1; });
  for (std::size_t j = 1; j < tiles; ++j)
    ranks.spawn(weir::in(a.tile(0, j - 1)), weir::inout(a.tile(0, j)),
                [](weir::View2D<const double> from, weir::View2D<double> to) { to(0, 0) += from(0, 0); });
  ranks.wait();
}
