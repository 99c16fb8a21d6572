// SPDX-License-Identifier: Apache-2.0

// Tiles to and from other ranks, as tasks of this rank's runtime. The thread that spawns.
#pragma once

#include "base/ids.hpp"
#include "cluster/ranks_state.hpp"
#include "trace/rank_events.hpp"

namespace weir::cluster {

// A version of a tile that goes from one rank to another. All ranks know of it alike.
struct Passing {
  TileVersion what;
  Rank from{}, to{};
  trace::RankMessage kind = trace::RankMessage::tile;
  const char* name = "";  // the tile's, for people, which lives as long as it; empty: it has none
};
// A task that reads the block, and ends when the other rank has its bytes.
void begin_send(detail::RanksState& state, detail::BlockBase* block, const Passing& passing);
// A task that writes the block.
void begin_receive(detail::RanksState& state, detail::BlockBase* block, const Passing& passing);

}  // namespace weir::cluster
