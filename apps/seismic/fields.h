/* SPDX-License-Identifier: Apache-2.0 */

// The six arrays of the wave problem as the kernels see them, and the geometry of one sweep.
//
// Plain data and no standard library: the kernels are compiled several times for different instruction sets, and an
// inline function compiled for one of them must not be what the linker picks for all (see sweep.hpp). C and C++.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
namespace weir::apps::seismic {
#endif

typedef int64_t Index;

// Doubles in a line of cache. Every row of every array starts on one, and tiles move by whole ones.
#ifdef __cplusplus
inline constexpr Index kLine = 8;
#else
enum { kLine = 8 };
#endif

// Pointers to cell (0, 0); cell (y, x) is at y * stride + x.
//
// Around the rows x cols cells lie ghosts, which are zero and stay so (material, damping and inverse density are zero
// there too): one row above and below, at least kLine cells to the left and 2 * kLine to the right. They are the only
// boundary condition: no kernel has a special case at an edge.
typedef struct Fields {
  double* velocity;
  double* stress_x;               // S of the formulas in problem.hpp
  double* stress_y;               // T
  const double* material;         // M
  const double* damping;          // D
  const double* inverse_density;  // L
  Index rows;
  Index cols;
  Index stride;
} Fields;

// The rows that a task on one band of rows sees, when bands are kept apart from each other: [first[0], first[1]) in the
// band above, [first[1], end) in its own. Of each band, the cell (first[i], 0) of the first array of its state and of
// its ground; other rows are whole strides further, the other two arrays `array` and twice `array` doubles. Ghosts are
// to the left and right of the cells; a row of zeros stands for those above and below the grid.
typedef struct Bands {
  double* state[2];              // velocity, stress_x, stress_y
  const double* ground[2];       // material, damping, inverse_density
  const double* stress_y_above;  // row first[0] - 1; only read where that is above the grid
  const double* velocity_below;  // row end
  Index first[2], end;
  Index rows, cols;  // of the grid
  Index stride;
  Index array;
} Bands;

// Adds pulse[k] to the velocity of one cell at the end of iteration k.
typedef struct Source {
  Index row;
  Index col;
  const double* pulse;  // one per iteration, counted from the beginning of the simulation
} Source;

// A box in skewed space: at the k-th of its iterations it covers the rows [row - k, row + rows - k) and the columns
// [col - k * kLine, col + cols - k * kLine), as far as these are in the grid. Iteration k of a cell needs iteration k
// of the cells above and to the left, and iteration k - 1 of those below and to the right: with this skew, each box
// needs only boxes that come before it in all of (iteration, row, col), so boxes can be worked off in any such order.
//
// Within, it is worked off in smaller boxes of inner_iterations x inner_rows x inner_cols, whose cells stay in the
// level 1 cache from one iteration to the next. cols is a multiple of inner_cols, which is one of kLine.
typedef struct Sweep {
  Index first_iteration;
  Index iterations;
  Index row, rows;
  Index col, cols;
  Index inner_iterations, inner_rows, inner_cols;
} Sweep;

#ifdef __cplusplus
}  // namespace weir::apps::seismic
#endif
