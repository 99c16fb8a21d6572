// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/band_view.hpp"

#include <algorithm>

namespace weir::apps::seismic {

Bands BandView::bands(Index band, const Memory& memory) const noexcept {
  const BandLayout& l = layout_;
  const double* const outside = outside_[1].cells;
  double* const states[] = {memory.above, memory.state};
  const double* const grounds[] = {memory.ground_above, memory.ground};
  Bands b{};
  for (int i = 0; i < 2; ++i) {
    b.state[i] = states[i] + l.state_offset(0);
    b.ground[i] = grounds[i] + l.ground_offset(0);
    b.first[i] = std::clamp<Index>(l.first_row(band - 1 + i), 0, l.rows);
  }
  b.end = std::min(l.first_row(band + 1), l.rows);
  b.stress_y_above = outside;
  b.velocity_below = b.end < l.rows ? memory.below + l.state_offset(0) : outside;
  b.rows = l.rows;
  b.cols = l.cols;
  b.stride = l.stride;
  b.array = l.array();
  return b;
}

void BandView::fill(Index band, std::span<double> state, std::span<double> ground,
                    const std::function<void(Index, const RowCells&)>& fill_row) const {
  const BandLayout& l = layout_;
  std::fill(state.begin(), state.end(), 0.0);
  std::fill(ground.begin(), ground.end(), 0.0);
  for (Index y = l.first_row(band); y < l.end_row(band); ++y) {
    double* const s = state.data() + (y - l.first_row(band)) * l.stride;
    double* const g = ground.data() + (y - l.first_row(band)) * l.stride;
    fill_row(y, {s + l.state_offset(0), s + l.state_offset(1), s + l.state_offset(2), g + l.ground_offset(0),
                 g + l.ground_offset(1), g + l.ground_offset(2)});
  }
}

}  // namespace weir::apps::seismic
