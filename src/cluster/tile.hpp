// SPDX-License-Identifier: Apache-2.0

// RankedTile: one tile of a distributed array, as this rank sees it.
//
// Its block is made at the start on the owner. Another rank has one from when a task there uses the tile until its copy
// is dropped (copies.hpp). The thread that spawns; tasks read the block's address, and what they were given of the
// tile, only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cluster/parts.hpp"
#include "cluster/versions.hpp"
#include "cluster/wire.hpp"
#include "weir/block.hpp"

namespace weir::detail {

struct RankedTile {
  cluster::Versions versions;
  std::span<std::byte> place;  // the array's Tile<Rank>, which begins with the block when this rank owns the tile
  std::size_t bytes;
  cluster::TileId id;
  std::string name;  // "a[2,0]"; empty: the array has none
  // The same, but with the block that this rank has of another one's tile; null: it has none. Tasks hold it: when it
  // leaves this tile it goes behind them.
  std::unique_ptr<std::byte[]> copy{};

  cluster::Parts parts{};                     // of a reduction
  std::optional<Block<std::byte>> part{};     // this rank's copy
  std::optional<Block<std::byte>> arrived{};  // another rank's, on its way into this rank's or into the tile
  bool has_newest = false;                    // while ranks accumulate: this one has no copy, but the tile
  std::size_t open_at = 0;                    // while they do: its place among the open reductions

  // Where checkpoints are written or read.
  std::uint64_t writes = 0;    // tasks of all ranks so far that name it to write
  std::uint64_t gathered = 0;  // before which wait gather() gave it to this rank the last time; 0: never

  // What tasks are given as the tile.
  std::byte* here() const noexcept { return copy != nullptr ? copy.get() : place.data(); }
  BlockBase* block() const noexcept {  // null: it has none on this rank
    BlockBase* block = nullptr;
    std::memcpy(&block, here(), sizeof(void*));
    return block;
  }
};

}  // namespace weir::detail
