// SPDX-License-Identifier: Apache-2.0

// What a task on a band works with, wherever the blocks of bands are (layout.hpp): which bands it names, and what the
// kernels need of them. Any thread may read it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "apps/seismic/layout.hpp"

namespace weir::apps::seismic {

// A row of each array, from column 0.
struct RowCells {
  double* velocity;
  double* stress_x;
  double* stress_y;
  double* material;
  double* damping;
  double* inverse_density;
};

class BandView {
 public:
  explicit BandView(const BandLayout& layout)
      : layout_(layout), outside_(static_cast<std::size_t>(layout.stride / kLine)) {}

  const BandLayout& layout() const noexcept { return layout_; }

  // Bands whose blocks a task names; of a band that is none, as the one below the grid, another in its place.
  struct Named {
    Index own, above, below;
  };
  Named named(Index band) const noexcept {
    const Index last = layout_.bands() - 1, own = band < last ? band : last;
    return {own, band > 0 ? band - 1 : 0, own < last ? own + 1 : own};
  }
  // Their memory.
  struct Memory {
    double *state, *above;
    const double* below;
    const double *ground, *ground_above;
  };
  Bands bands(Index band, const Memory& memory) const noexcept;

  // Everything zero, then fill_row(y, row) for every row of the band.
  void fill(Index band, std::span<double> state, std::span<double> ground,
            const std::function<void(Index, const RowCells&)>& fill_row) const;
  // read_row(y, velocity, stress_x, stress_y) for every row of the band.
  template <class ReadRow>
  void read(Index band, std::span<const double> state, const ReadRow& read_row) const {
    for (Index y = layout_.first_row(band); y < layout_.end_row(band); ++y) {
      const double* const s = state.data() + (y - layout_.first_row(band)) * layout_.stride;
      read_row(y, s + layout_.state_offset(0), s + layout_.state_offset(1), s + layout_.state_offset(2));
    }
  }

 private:
  BandLayout layout_;
  struct alignas(64) Line {
    double cells[kLine] = {};
  };
  std::vector<Line> outside_;  // the row of zeros above and below the grid, with its ghosts
};

}  // namespace weir::apps::seismic
