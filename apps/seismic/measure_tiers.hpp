// SPDX-License-Identifier: Apache-2.0

// Runs variants in turn with blocks in the tiers that the options name, each run in a process of its own.
//
// Such a process has the plain problem, or the grid in blocks, but never both: weir-blocks then holds no more memory
// than its fast tier, but for a model, which is in memory while the blocks are filled. What is compared with
// serial, which runs first and has gone when weir-blocks begins, is a checksum of each row.
#pragma once

#include <string>

#include "apps/seismic/input.hpp"
#include "apps/seismic/measure.hpp"

namespace weir::apps::seismic {

// The calling process must have one thread. `model` as for make_earth(). A run that fails is the end of all.
base::Result<std::vector<Measurement>> measure_with_tiers(const Size& size, const std::string& model, const Plan& plan,
                                                          const Progress& progress);

}  // namespace weir::apps::seismic
