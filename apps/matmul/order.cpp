// SPDX-License-Identifier: Apache-2.0

#include "apps/matmul/order.hpp"

#include <algorithm>

namespace weir::apps::matmul {
namespace {

Index groups(Index tiles, Index size) { return (tiles + size - 1) / size; }

// Tiles at work and on their way: a superblock of C, and the A and B of one k and of the next.
Index tiles_held(const Superblock& s) { return s.rows * s.cols + 2 * (s.rows + s.cols); }

void add_superblock(std::vector<Step>& steps, Index tiles, const Superblock& s, Index row, Index col, bool up) {
  for (Index n = 0; n < tiles; ++n) {
    for (Index i = row; i < std::min(row + s.rows, tiles); ++i) {
      for (Index j = col; j < std::min(col + s.cols, tiles); ++j) {
        steps.push_back({i, j, up ? n : tiles - 1 - n, n == 0});
      }
    }
  }
}

}  // namespace

Index fetches(Index tiles, Index fast, const Superblock& s) {
  const Index rows = groups(tiles, s.rows), cols = groups(tiles, s.cols);
  // What is left of the room keeps tiles from one superblock to the next: of A along a row, of B where the snake turns.
  const Index spare = std::max<Index>(0, fast - tiles_held(s));
  Index count = tiles * tiles * (rows + cols);
  for (Index row = 0; row < tiles; row += s.rows) {
    count -= (cols - 1) * std::min(spare, std::min(s.rows, tiles - row) * tiles);
  }
  return count - (rows - 1) * std::min(spare, s.cols * tiles);
}

Superblock choose_superblock(Index tiles, Index fast, Index side_by_side) {
  if (fast == 0) return {tiles, tiles};
  Superblock best;
  for (Index rows = 1; rows <= tiles; ++rows) {
    for (Index cols = 1; cols <= tiles; ++cols) {
      const Superblock s{rows, cols};
      if (tiles_held(s) > fast || rows * cols < std::min(side_by_side, tiles * tiles)) continue;
      const Index saved = fetches(tiles, fast, best) - fetches(tiles, fast, s);
      const bool first = best.rows * best.cols < side_by_side;
      if (first || saved > 0 || (saved == 0 && tiles_held(s) < tiles_held(best))) best = s;
    }
  }
  return best;
}

std::vector<Step> order_of(Index tiles, const Superblock& s) {
  std::vector<Step> steps;
  bool up = true, right = true;
  for (Index row = 0; row < tiles; row += s.rows, right = !right) {
    const Index cols = groups(tiles, s.cols);
    for (Index n = 0; n < cols; ++n, up = !up) {
      add_superblock(steps, tiles, s, row, (right ? n : cols - 1 - n) * s.cols, up);
    }
  }
  return steps;
}

std::vector<Step> naive_order(Index tiles) {
  std::vector<Step> steps;
  for (Index i = 0; i < tiles; ++i) {
    for (Index j = 0; j < tiles; ++j) add_superblock(steps, tiles, {1, 1}, i, j, true);
  }
  return steps;
}

std::vector<Input> inputs_of(Index tiles, const std::vector<Step>& steps) {
  const auto count = static_cast<std::size_t>(tiles * tiles);
  std::vector<bool> a(count), b(count);
  std::vector<Input> inputs;
  const auto add = [&](std::vector<bool>& seen, Matrix matrix, Index i, Index j) {
    const auto tile = static_cast<std::size_t>(i * tiles + j);
    if (!seen[tile]) inputs.push_back({matrix, i, j});
    seen[tile] = true;
  };
  for (const Step& step : steps) {
    add(a, Matrix::a, step.i, step.k);
    add(b, Matrix::b, step.k, step.j);
  }
  return inputs;
}

}  // namespace weir::apps::matmul
