// SPDX-License-Identifier: Apache-2.0

// The grid of apps/seismic in bands over ranks, as BandGrid has it in one process: each rank owns a slab of
// neighbouring bands. For the thread that has the ranks, and the same calls on all of them.
#pragma once

#include <functional>
#include <span>

#include "apps/seismic/band_view.hpp"
#include "weir/ranks.hpp"

namespace weir::apps::ranks {

using seismic::BandLayout;
using seismic::Index;

class SeismicGrid {
 public:
  SeismicGrid(Ranks& ranks, const BandLayout& layout)
      : ranks_(ranks),
        view_(layout),
        state_(bands_of(ranks, layout, layout.state_doubles(), "state")),
        ground_(bands_of(ranks, layout, layout.ground_doubles(), "ground")) {}

  const BandLayout& layout() const noexcept { return view_.layout(); }

  // Everything zero, then fill_row(y, row) for every row, on the rank that owns it.
  void fill(const std::function<void(Index, const seismic::RowCells&)>& fill_row) {
    for (Index band = 0; band < layout().bands(); ++band) {
      ranks_.spawn(out(state(band)), out(ground(band)), name("fill"),
                   [this, band, &fill_row](std::span<double> state, std::span<double> ground) {
                     view_.fill(band, state, ground, fill_row);
                   });
    }
    ranks_.barrier();
  }

  // On rank 0: read_row(y, velocity, stress_x, stress_y) for every row.
  template <class ReadRow>
  void read(const ReadRow& read_row) {
    for (Index band = 0; band < layout().bands(); ++band) {
      ranks_.spawn(on_rank(0), in(state(band)), name("read"),
                   [this, band, &read_row](std::span<const double> state) { view_.read(band, state, read_row); });
    }
    ranks_.wait();
  }

  // As BandGrid::spawn(). The task runs where its band belongs; the band above is that of another rank where a slab
  // begins.
  template <class Work>
  void spawn(Index band, Work work) {
    const auto named = view_.named(band);
    ranks_.spawn(inout(state(named.own)), inout(state(named.above)), in(state(named.below)), in(ground(named.own)),
                 in(ground(named.above)), name("band"),
                 [this, band, work](std::span<double> s, std::span<double> s_above, std::span<const double> s_below,
                                    std::span<const double> g, std::span<const double> g_above) {
                   work(view_.bands(band, {s.data(), s_above.data(), s_below.data(), g.data(), g_above.data()}));
                 });
  }

 private:
  using Bands = Array<double, 1>;
  static Bands bands_of(Ranks& ranks, const BandLayout& layout, std::size_t doubles, const char* name) {
    const auto count = static_cast<std::size_t>(layout.bands());
    return Bands::distribute(ranks, {count * doubles}, {doubles}, weir::bands(ranks.size(), count), name);
  }
  using Band = ArrayTile<double, 1>;
  Band state(Index band) const { return state_.tile(static_cast<std::size_t>(band)); }
  Band ground(Index band) const { return ground_.tile(static_cast<std::size_t>(band)); }

  Ranks& ranks_;
  seismic::BandView view_;
  Bands state_, ground_;
};

}  // namespace weir::apps::ranks
