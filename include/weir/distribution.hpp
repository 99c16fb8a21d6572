// SPDX-License-Identifier: Apache-2.0

// Distribution: which rank owns each tile of an array that all ranks of a job share.
//
//   weir::block_cyclic(ranks.size())        tile i of the first dimension belongs to rank i % size
//   weir::block_cyclic_2d(2, 3)             tile (i, j) to rank i % 2 * 3 + j % 3, as in ScaLAPACK
//   weir::bands(ranks.size(), tiles)        as many neighbouring tiles of the first dimension to each as to the others
//   weir::owned_by([](auto at) { ... })     any function of the tile's place; the same on all ranks
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>

namespace weir {

class Distribution {
 public:
  // `tile`: its place in the grid of tiles. In [0, ranks); called once for each tile, on each rank.
  using Owner = std::function<int(std::span<const std::size_t> tile)>;

  explicit Distribution(Owner owner) : owner_(std::move(owner)) {}
  int owner_of(std::span<const std::size_t> tile) const { return owner_(tile); }

 private:
  Owner owner_;
};

// Ranks in turn along one dimension of the grid of tiles. Throws weir::Error for fewer than one rank.
Distribution block_cyclic(int ranks, std::size_t dimension = 0);
// Ranks as a grid of rows x columns along the first two dimensions. Throws weir::Error for fewer than one of either.
Distribution block_cyclic_2d(int rank_rows, int rank_columns);
// `tiles` along one dimension in as many runs as there are ranks, as even as can be. Throws weir::Error for fewer than
// one of either.
Distribution bands(int ranks, std::size_t tiles, std::size_t dimension = 0);
inline Distribution owned_by(Distribution::Owner owner) { return Distribution(std::move(owner)); }

}  // namespace weir
