// SPDX-License-Identifier: Apache-2.0

// Where rows lie in memory, of a whole grid and of one cut in bands of rows.
//
// Rows start on lines of cache, a fixed shift apart, so that neighbouring rows, and the same cells of the six arrays,
// fall into different sets of a cache. A band is two blocks: the state (velocity and stresses), which tasks write, and
// the ground (material, damping, inverse density), which they only read. Both have the ghosts left and right of their
// rows (fields.h), but none above and below.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/seismic/fields.h"

namespace weir::apps::seismic {

inline constexpr Index kArrayShift = 37 * kLine;  // from array to array, modulo a page

// Doubles from row to row.
Index stride_for(Index cols);

struct BandLayout {
  Index rows, cols;  // of the grid, each >= 1
  Index band_rows;   // of every band; those of the last one beyond the grid are not used
  Index stride;

  Index bands() const { return (rows + band_rows - 1) / band_rows; }
  Index first_row(Index band) const { return band * band_rows; }
  Index end_row(Index band) const { return first_row(band + 1) < rows ? first_row(band + 1) : rows; }
  // Doubles from an array to the next one in the same block.
  Index array() const { return band_rows * stride + kArrayShift; }
  std::size_t state_doubles() const { return static_cast<std::size_t>(3 * array()); }
  std::size_t ground_doubles() const { return state_doubles() + static_cast<std::size_t>(3 * kArrayShift); }
  std::uint64_t band_bytes() const { return (state_doubles() + ground_doubles()) * sizeof(double); }
  std::uint64_t total_bytes() const { return static_cast<std::uint64_t>(bands()) * band_bytes(); }

  // From the beginning of a block to column 0 of the first row of its i-th array.
  Index state_offset(int i) const { return i * array() + kLine; }
  Index ground_offset(int i) const { return i * array() + 3 * kArrayShift + kLine; }
};

// Bands of at most `band_rows` rows; fewer where the grid has fewer.
BandLayout band_layout(Index rows, Index cols, Index band_rows);

}  // namespace weir::apps::seismic
