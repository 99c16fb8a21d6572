// SPDX-License-Identifier: Apache-2.0

// Heat in a solid: the 7-point stencil of section V.A of the paper on memory-heterogeneity-aware task runtimes.
//
// The grid is cut in cubic blocks. An outer iteration takes each block, with the faces that its six neighbours
// published in the iteration before, through `sweeps` Jacobi sweeps in which those faces stay as they are (block
// relaxation), and publishes its own six faces. So a block does sweeps * side^3 updates each time it is brought in.
//
//   new = 0.4 * old + 0.1 * (((left + right) + (above + below)) + (front + back))
//
// Outside of the grid it is 0, but for one side, which is 1. Faces are double-buffered: iteration k reads those of
// parity k % 2 and writes the others. Every variant computes the same bits; a result is one checksum a block.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace weir::apps::stencil3d {

using Index = std::int64_t;

// The sides of a block; a neighbour's face is the opposite one. Even: towards lower coordinates.
enum Side : int { kXLow, kXHigh, kYLow, kYHigh, kZLow, kZHigh, kSides };
constexpr Side opposite(Side side) { return static_cast<Side>(side ^ 1); }

struct Shape {
  std::array<Index, 3> blocks{};  // in x, y and z
  Index side = 64;                // cells of a block in each direction; a multiple of 8
  Index iterations = 1;           // outer ones
  Index sweeps = 20;

  Index block_count() const { return blocks[0] * blocks[1] * blocks[2]; }
  Index interior_cells() const { return side * side * side; }
  Index face_cells() const { return side * side; }
  // Bytes of all that blocks hold: interiors and both buffers of six faces.
  std::uint64_t total_bytes() const;
  // Updates of a cell in all iterations.
  double updates() const;
  std::string cells() const;  // "384x384x1024"
};

// Blocks are numbered with x fastest, z slowest. -1: `side` of this block is the border of the grid.
Index neighbour(const Shape& shape, Index block, Side side);

// "N" or "NXxNYxNZ" cells, each a multiple of `side`; bad_option otherwise.
base::Result<std::array<Index, 3>> parse_blocks(const std::string& cells, Index side);

// The grid nearest to this many bytes whose z is some eight times as long as x and y: small planes, which reuse needs.
std::array<Index, 3> blocks_for(std::uint64_t total_bytes, Index side);

// The state before the first iteration: heat in smooth lumps. `interior` has interior_cells().
void fill_interior(const Shape& shape, Index block, std::span<double> interior);
// What lies beyond the border: 1 on the low side of z, else 0. `face` has face_cells().
void fill_border(Side side, std::span<double> face);

// Copies a side of the interior. Faces in x are [z][y], in y [z][x], in z [y][x].
void publish(const Shape& shape, std::span<const double> interior, Side side, std::span<double> face);

// Of the bits of a block's interior; another value for nearly every other content or order.
std::uint64_t checksum(std::span<const double> interior);

}  // namespace weir::apps::stencil3d
