// SPDX-License-Identifier: Apache-2.0

// C = A * B of square matrices of double in tiles: section V.B of the paper on memory-heterogeneity-aware runtimes.
//
// The entries of A and B are small integers made from their place, so every product and sum is exact: C has the same
// bits whatever the order of additions, and a check needs no tolerance.
//
// The check is Freivalds': C * x = A * (B * x) for random x, whose right side is computed from the entries' formula; a
// wrong C passes it with a probability of less than 1 in 2000 for each x. Beside it a sample of entries of one tile is
// computed anew. Both take C as tiles that tasks read.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weir::apps::matmul {

using Index = std::int64_t;

inline constexpr Index kLargestSize = 1 << 18;  // beyond, sums are not exact
inline constexpr int kVectors = 2;              // random x of the check

struct Shape {
  Index size = 0;  // rows and columns
  Index tile = 0;  // of a tile; those at the edges are smaller

  Index tiles() const { return (size + tile - 1) / tile; }  // in each direction
  Index extent(Index at) const;                             // rows of the tiles in this row of tiles
  std::uint64_t tile_bytes() const { return static_cast<std::uint64_t>(tile * tile) * sizeof(double); }
  std::uint64_t total_bytes() const { return 3 * static_cast<std::uint64_t>(size * size) * sizeof(double); }
  double flops() const;
};

// The size whose three matrices have about this many bytes, in `tiles` x `tiles` tiles without smaller ones.
Shape shape_for(std::uint64_t total_bytes, Index tiles);

enum class Matrix : std::uint8_t { a, b };
double entry(Matrix matrix, Index row, Index col);  // an integer, -8 to 7

// rows x cols doubles, `stride` from row to row.
struct View {
  double* data;
  Index rows, cols, stride;
};
void fill(const View& view, Matrix matrix, Index first_row, Index first_col);

// The check of one result. Tiles are given in any order, each once, by any threads at a time.
class Checker {
 public:
  explicit Checker(const Shape& shape);

  // Takes in tile (i, j) of C.
  void add(Index i, Index j, const View& tile);
  // When every tile is in: what is wrong, or "".
  std::string verdict() const;

 private:
  void check_sample(const View& tile);
  double random(int vector, Index at) const;

  Shape shape_;
  Index sample_i_, sample_j_;                       // the tile that is computed anew
  std::string sample_wrong_;                        // written by whoever adds that tile
  std::vector<std::array<double, kVectors>> x_;     // by column
  std::vector<std::array<double, kVectors>> sums_;  // of tile column j and row r of C: [j * size + r]
};

}  // namespace weir::apps::matmul
