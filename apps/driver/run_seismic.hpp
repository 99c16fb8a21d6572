// SPDX-License-Identifier: Apache-2.0

// weir run seismic: waves in the ground, in loops and in tasks; with --tiers on a grid larger than fast memory.
#pragma once

#include "demos/seismic_options.hpp"

namespace weir::tool {

// The exit status.
int run_seismic(const SeismicSettings& settings, Global& global);

}  // namespace weir::tool
