// SPDX-License-Identifier: Apache-2.0

// open_ranks: from the job that has started this process to a RanksState.
#pragma once

#include <memory>

#include "cluster/ranks_state.hpp"
#include "weir/options.hpp"

namespace weir::cluster {

// Collective. Throws weir::Error.
std::unique_ptr<detail::RanksState> open_ranks(const Options& options);

}  // namespace weir::cluster
