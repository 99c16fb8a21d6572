// SPDX-License-Identifier: Apache-2.0

// Tiles to and from other ranks, as tasks of this rank's runtime. The thread that spawns.
#pragma once

#include "base/ids.hpp"
#include "cluster/ranks_state.hpp"
#include "cluster/tile.hpp"

namespace weir::cluster {

// A task that reads the block, and ends when `to` has its bytes, as this version of the tile.
void begin_send(detail::RanksState& state, detail::BlockBase* block, const TileVersion& what, Rank to);
// A task that writes the block: this version, of whoever has it.
void begin_receive(detail::RanksState& state, detail::BlockBase* block, const TileVersion& what);
// Makes the tile's block on this rank, if there is none. Throws weir::Error.
void need_block(detail::RanksState& state, detail::RankedTile& tile);

}  // namespace weir::cluster
