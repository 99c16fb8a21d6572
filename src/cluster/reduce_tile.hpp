// SPDX-License-Identifier: Apache-2.0

// Tasks that accumulate into a tile on several ranks: a copy on each rank, and the folding of copies, as tasks of the
// ranks that have them. The thread that spawns.
#pragma once

#include "cluster/ranks_state.hpp"
#include "cluster/tile.hpp"
#include "weir/detail/ranked.hpp"

namespace weir::cluster {

// A task at `where` accumulates.
void begin_reduce(detail::RanksState& state, const detail::RankedItem& item, Rank where);
// The tile is used otherwise: what ranks have accumulated is folded into it.
void end_reduce(detail::RanksState& state, detail::RankedTile& tile);
// The same of all tiles.
void end_reductions(detail::RanksState& state);

}  // namespace weir::cluster
