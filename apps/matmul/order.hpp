// SPDX-License-Identifier: Apache-2.0

// In which order the products of tiles are worked off; README.md has the reasoning and the count of bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/matmul/problem.hpp"

namespace weir::apps::matmul {

// C(i, j) += A(i, k) * B(k, j); `first` of that C, which it sets.
struct Step {
  Index i = 0, j = 0, k = 0;
  bool first = false;
  friend bool operator==(const Step&, const Step&) = default;
};

// Tiles of C that stay while A and B come by.
struct Superblock {
  Index rows = 1, cols = 1;
  friend bool operator==(const Superblock&, const Superblock&) = default;
};

// Tiles of A and B that have to be fetched for `tiles` x `tiles` tiles of C, with room for `fast` tiles.
Index fetches(Index tiles, Index fast, const Superblock& superblock);

// That with the fewest fetches among those whose tiles of C, and twice the tiles of A and B that one k takes, fit, and
// that have `side_by_side` tasks for each k; of these the one that holds the fewest tiles. All of C when none does and
// everything is resident (fast 0), else one tile.
Superblock choose_superblock(Index tiles, Index fast, Index side_by_side);

// C by superblocks, in a snake; for each the k up or down, in turn, so that one begins with the tiles of A and B that
// the last one ended with.
std::vector<Step> order_of(Index tiles, const Superblock& superblock);

// i, j, k: what a plain program does.
std::vector<Step> naive_order(Index tiles);

// Tiles of A and B in the order of their first use.
struct Input {
  Matrix matrix = Matrix::a;
  Index i = 0, j = 0;
};
std::vector<Input> inputs_of(Index tiles, const std::vector<Step>& steps);

}  // namespace weir::apps::matmul
