// SPDX-License-Identifier: Apache-2.0

// The grid in Weir's blocks, two a band (layout.hpp): what tasks on bands need of it.
//
// Everything is done by tasks, band by band, so that the grid may be larger than fast memory and is never in memory
// twice. For the thread that has the runtime.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "apps/seismic/band_view.hpp"
#include "weir/weir.hpp"

namespace weir::apps::seismic {

class BandGrid {
 public:
  // Throws weir::Error when no tier has room.
  BandGrid(Runtime& runtime, const BandLayout& layout);

  const BandLayout& layout() const noexcept { return view_.layout(); }

  // Everything zero, then fill(y, row) for every row, in tasks. From the last band to the first: where memory is short
  // the first ones, which work begins with, are in fast memory at the end.
  void fill(const std::function<void(Index, const RowCells&)>& fill_row);
  // read(y, velocity, stress_x, stress_y) for every row, in tasks.
  void read(const std::function<void(Index, const double*, const double*, const double*)>& read_row);

  // A task that gets what the kernels need to work on a band (layout().bands(): below the grid). The callable is
  // copied.
  template <class Work>
  void spawn(Index band, Work work) {
    const auto [own, above, below] = view_.named(band);
    runtime_.spawn(inout(state(own)), inout(state(above)), in(state(below)), in(ground(own)), in(ground(above)),
                   name("band"),
                   [this, band, work](std::span<double> s, std::span<double> s_above, std::span<const double> s_below,
                                      std::span<const double> g, std::span<const double> g_above) {
                     work(view_.bands(band, {s.data(), s_above.data(), s_below.data(), g.data(), g_above.data()}));
                   });
  }

 private:
  Block<double>& state(Index band) { return state_[static_cast<std::size_t>(band)]; }
  Block<double>& ground(Index band) { return ground_[static_cast<std::size_t>(band)]; }

  Runtime& runtime_;
  BandView view_;
  std::vector<Block<double>> state_, ground_;
};

}  // namespace weir::apps::seismic
