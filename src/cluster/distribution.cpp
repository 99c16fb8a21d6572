// SPDX-License-Identifier: Apache-2.0

#include "weir/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "weir/error.hpp"

namespace weir {

namespace {

void check_ranks(const char* what, int ranks) {
  if (ranks < 1) throw Error(fmt::format("{}: {} ranks were asked for: there is at least one", what, ranks));
}

void check_dimension(const char* what, std::size_t dimension, std::span<const std::size_t> tile) {
  if (dimension < tile.size()) return;
  throw Error(fmt::format("{}: dimension {} of an array that has {}, counted from 0", what, dimension, tile.size()));
}

}  // namespace

Distribution block_cyclic(int ranks, std::size_t dimension) {
  check_ranks("block_cyclic", ranks);
  return Distribution([ranks, dimension](std::span<const std::size_t> tile) {
    check_dimension("block_cyclic", dimension, tile);
    return static_cast<int>(tile[dimension] % static_cast<std::size_t>(ranks));
  });
}

Distribution block_cyclic_2d(int rank_rows, int rank_columns) {
  check_ranks("block_cyclic_2d", std::min(rank_rows, rank_columns));
  return Distribution([rank_rows, rank_columns](std::span<const std::size_t> tile) {
    check_dimension("block_cyclic_2d", 1, tile);
    const auto row = static_cast<int>(tile[0] % static_cast<std::size_t>(rank_rows));
    return row * rank_columns + static_cast<int>(tile[1] % static_cast<std::size_t>(rank_columns));
  });
}

Distribution bands(int ranks, std::size_t tiles, std::size_t dimension) {
  check_ranks("bands", ranks);
  if (tiles < 1) throw Error("bands: of no tiles");
  return Distribution([ranks, tiles, dimension](std::span<const std::size_t> tile) {
    check_dimension("bands", dimension, tile);
    const std::size_t at = std::min(tile[dimension], tiles - 1);
    return static_cast<int>(at * static_cast<std::size_t>(ranks) / tiles);
  });
}

}  // namespace weir
