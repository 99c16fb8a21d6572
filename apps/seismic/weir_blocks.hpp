// SPDX-License-Identifier: Apache-2.0

// The iterations on a grid in blocks, for the variant weir-blocks in memory, for runs with tiers, and over ranks.
#pragma once

#include <span>

#include "apps/seismic/band_grid.hpp"
#include "apps/seismic/band_plan.hpp"
#include "apps/seismic/solver.hpp"

namespace weir::apps::seismic {

// The budget of the fastest tier; 0 before there was a block, unless options name the tiers.
std::uint64_t fast_bytes(const Runtime& runtime);

// Makes the tasks of a plan. `settings` and `source` are there until they have run, as is the grid.
template <class Grid>
void spawn_bands(Grid& grid, std::span<const BandTask> tasks, const Settings& settings, const Source& source) {
  const BandLayout& layout = grid.layout();
  for (const BandTask& task : tasks) {
    grid.spawn(task.band, [&layout, &settings, &source, task](const Bands& bands) {
      for_each_sweep(layout, settings.tiling, task,
                     [&](const Sweep& w) { settings.kernels->sweep_bands(bands, source, w); });
    });
  }
}

// Does the iterations [first, first + count), as settings.tiling says.
void run_bands(Runtime& runtime, BandGrid& grid, const Settings& settings, const Source& source, Index first,
               Index count);

}  // namespace weir::apps::seismic
