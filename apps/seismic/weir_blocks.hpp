// SPDX-License-Identifier: Apache-2.0

// The iterations on a grid in blocks, for the variant weir-blocks in memory and for runs with tiers.
#pragma once

#include "apps/seismic/band_grid.hpp"
#include "apps/seismic/solver.hpp"

namespace weir::apps::seismic {

// The budget of the fastest tier; 0 before there was a block, unless options name the tiers.
std::uint64_t fast_bytes(const Runtime& runtime);

// Does the iterations [first, first + count), as settings.tiling says.
void run_bands(Runtime& runtime, BandGrid& grid, const Settings& settings, const Source& source, Index first,
               Index count);

}  // namespace weir::apps::seismic
