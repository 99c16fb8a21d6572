// SPDX-License-Identifier: Apache-2.0

// Tiles to and from other ranks, as tasks of this rank's runtime. The thread that spawns.
#pragma once

#include "base/ids.hpp"
#include "cluster/ranks_state.hpp"
#include "cluster/tile.hpp"

namespace weir::cluster {

// A task that reads the tile, and ends when `to` has its newest version.
void begin_send(detail::RanksState& state, detail::RankedTile& tile, Rank to);
// A task that writes the tile: the newest version, of whoever has it.
void begin_receive(detail::RanksState& state, detail::RankedTile& tile);
// Makes the tile's block on this rank, if there is none. Throws weir::Error.
void need_block(detail::RanksState& state, detail::RankedTile& tile);

}  // namespace weir::cluster
