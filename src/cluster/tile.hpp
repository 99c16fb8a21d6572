// SPDX-License-Identifier: Apache-2.0

// RankedTile: one tile of a distributed array, as this rank sees it.
//
// Its block is the array's, made at the start on the owner, and on another rank when a task there first uses it. The
// thread that spawns; tasks read the block's address only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cluster/parts.hpp"
#include "cluster/versions.hpp"
#include "cluster/wire.hpp"
#include "weir/block.hpp"

namespace weir::detail {

struct RankedTile {
  cluster::Versions versions;
  BlockBase** block;  // where the array keeps it; *block is null until it is used here
  std::size_t bytes;
  cluster::TileId id;
  std::string name;  // "a[2,0]"; empty: the array has none

  cluster::Parts parts{};                     // of a reduction
  std::optional<Block<std::byte>> part{};     // this rank's copy
  std::optional<Block<std::byte>> arrived{};  // another rank's, on its way into this rank's or into the tile
  bool has_newest = false;                    // while ranks accumulate: this one has no copy, but the tile
};

}  // namespace weir::detail
