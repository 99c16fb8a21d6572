// SPDX-License-Identifier: Apache-2.0

// In which order tasks on bands are made: which band goes through which iterations when.
//
// A task takes a band through the iterations of a layer, at most as many as the band has rows, moving up by a row with
// each (fields.h): it writes its band and the one above, and reads a row of the one below. So a layer goes down the
// grid band by band, and the next layer follows three bands behind. Layers of a pass go down together: what they need
// at a time are three bands a layer, whatever the grid's size.
#pragma once

#include <vector>

#include "apps/seismic/layout.hpp"
#include "apps/seismic/solver.hpp"

namespace weir::apps::seismic {

inline constexpr Index kBandsPerLayer = 3;

struct BandTask {
  Index band;  // layout.bands(): below the grid, for what the skew leaves of the last band
  Index first_iteration, iterations;
  friend bool operator==(const BandTask&, const BandTask&) = default;
};

// All tasks for the iterations [first, first + count), in an order that respects what they need. At least `workers`
// layers, since a layer is worked off by one task after another; as many of them in a pass as `bands_at_hand` bands
// allow, at least one.
std::vector<BandTask> plan_bands(const BandLayout& layout, Index first, Index count, int workers, Index bands_at_hand);

// Rows of a band: `most`, or fewer so that in `fast_bytes` there is room for a layer per worker, and for what comes
// next. At least 8 where the grid has them.
BandLayout choose_bands(Index rows, Index cols, Index most, int workers, std::uint64_t fast_bytes);

// Calls run(sweep) for the sweeps that make up a task, in order: as many iterations of strips from left to right as
// `tiling` says, then the next ones.
template <class Run>
void for_each_sweep(const BandLayout& layout, const Tiling& tiling, const BandTask& task, Run run) {
  const Index parts = (task.iterations + tiling.iterations - 1) / tiling.iterations;
  for (Index part = 0; part < parts; ++part) {
    const Index done = part * task.iterations / parts;
    const Index iterations = (part + 1) * task.iterations / parts - done;
    const Index row = layout.first_row(task.band) - done;
    for (Index col = 0; col < layout.cols + (iterations - 1) * kLine; col += tiling.cols) {
      run(Sweep{task.first_iteration + done, iterations, row, layout.band_rows, col, tiling.cols,
                tiling.inner_iterations < iterations ? tiling.inner_iterations : iterations, tiling.inner_rows,
                tiling.inner_cols});
    }
  }
}

}  // namespace weir::apps::seismic
