// SPDX-License-Identifier: Apache-2.0

// weir bench tiers: data larger than the fast tier, moved in several ways.
#pragma once

#include "verb.hpp"

namespace weir::tool {

void add_bench_tiers(CLI::App& parent, Global& global);

}  // namespace weir::tool
