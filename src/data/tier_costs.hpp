// SPDX-License-Identifier: Apache-2.0

// What using the nodes of tiers costs, numbered as an engine numbers them (TierMemory). Pure; any thread.
#pragma once

#include "data/tiers.hpp"
#include "machine/cost_model.hpp"
#include "machine/machine.hpp"

namespace weir::data {

// Memory nodes as the machine says or as is typical (machine::costs_of()), files as is typical of a fast disk. Where a
// tier is emulated, with `emulated_bytes_per_second` as measured for it, ordinary memory has the bandwidth that was
// measured then, too.
machine::CostModel cost_model_of(const machine::Machine& machine, const TierSet& tiers,
                                 double emulated_bytes_per_second);

}  // namespace weir::data
