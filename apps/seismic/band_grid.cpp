// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/band_grid.hpp"

namespace weir::apps::seismic {

BandGrid::BandGrid(Runtime& runtime, const BandLayout& layout) : runtime_(runtime), view_(layout) {
  for (Index band = 0; band < layout.bands(); ++band) {
    state_.emplace_back(runtime, layout.state_doubles(), "state");
    ground_.emplace_back(runtime, layout.ground_doubles(), "ground");
  }
}

void BandGrid::fill(const std::function<void(Index, const RowCells&)>& fill_row) {
  for (Index band = layout().bands(); band-- > 0;) {
    runtime_.spawn(out(state(band)), out(ground(band)), name("fill"),
                   [this, band, &fill_row](std::span<double> state, std::span<double> ground) {
                     view_.fill(band, state, ground, fill_row);
                   });
  }
  runtime_.wait();
}

void BandGrid::read(const std::function<void(Index, const double*, const double*, const double*)>& read_row) {
  for (Index band = 0; band < layout().bands(); ++band) {
    runtime_.spawn(in(state(band)), name("read"),
                   [this, band, &read_row](std::span<const double> state) { view_.read(band, state, read_row); });
  }
  runtime_.wait();
}

}  // namespace weir::apps::seismic
