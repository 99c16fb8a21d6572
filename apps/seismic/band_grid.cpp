// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/band_grid.hpp"

#include <algorithm>

namespace weir::apps::seismic {

BandGrid::BandGrid(Runtime& runtime, const BandLayout& layout)
    : runtime_(runtime), layout_(layout), outside_(static_cast<std::size_t>(layout.stride / kLine)) {
  for (Index band = 0; band < layout.bands(); ++band) {
    state_.emplace_back(runtime, layout.state_doubles(), "state");
    ground_.emplace_back(runtime, layout.ground_doubles(), "ground");
  }
}

void BandGrid::fill(const std::function<void(Index, const RowCells&)>& fill_row) {
  for (Index band = layout_.bands(); band-- > 0;) {
    runtime_.spawn(out(state(band)), out(ground(band)), name("fill"),
                   [this, band, &fill_row](std::span<double> state, std::span<double> ground) {
                     std::fill(state.begin(), state.end(), 0.0);
                     std::fill(ground.begin(), ground.end(), 0.0);
                     for (Index y = layout_.first_row(band); y < layout_.end_row(band); ++y) {
                       double* const s = state.data() + (y - layout_.first_row(band)) * layout_.stride;
                       double* const g = ground.data() + (y - layout_.first_row(band)) * layout_.stride;
                       const auto& l = layout_;
                       fill_row(y, {s + l.state_offset(0), s + l.state_offset(1), s + l.state_offset(2),
                                    g + l.ground_offset(0), g + l.ground_offset(1), g + l.ground_offset(2)});
                     }
                   });
  }
  runtime_.wait();
}

void BandGrid::read(const std::function<void(Index, const double*, const double*, const double*)>& read_row) {
  for (Index band = 0; band < layout_.bands(); ++band) {
    runtime_.spawn(in(state(band)), name("read"), [this, band, &read_row](std::span<const double> state) {
      for (Index y = layout_.first_row(band); y < layout_.end_row(band); ++y) {
        const double* const s = state.data() + (y - layout_.first_row(band)) * layout_.stride;
        read_row(y, s + layout_.state_offset(0), s + layout_.state_offset(1), s + layout_.state_offset(2));
      }
    });
  }
  runtime_.wait();
}

Bands BandGrid::bands(Index band, double* state, double* above, const double* below, const double* ground,
                      const double* ground_above) const noexcept {
  const BandLayout& l = layout_;
  const double* const outside = outside_[1].cells;
  double* const states[] = {above, state};
  const double* const grounds[] = {ground_above, ground};
  Bands b{};
  for (int i = 0; i < 2; ++i) {
    b.state[i] = states[i] + l.state_offset(0);
    b.ground[i] = grounds[i] + l.ground_offset(0);
    b.first[i] = std::clamp<Index>(l.first_row(band - 1 + i), 0, l.rows);
  }
  b.end = std::min(l.first_row(band + 1), l.rows);
  b.stress_y_above = outside;
  b.velocity_below = b.end < l.rows ? below + l.state_offset(0) : outside;
  b.rows = l.rows;
  b.cols = l.cols;
  b.stride = l.stride;
  b.array = l.array();
  return b;
}

}  // namespace weir::apps::seismic
