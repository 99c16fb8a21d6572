// SPDX-License-Identifier: Apache-2.0

// weir run seismic: waves in the ground, in loops and in tasks; with --tiers on a grid larger than fast memory.
#pragma once

#include "verb.hpp"

namespace weir::tool {

void add_seismic(CLI::App& parent, Global& global);

}  // namespace weir::tool
