// SPDX-License-Identifier: Apache-2.0

// What the templates of Ranks need of the library: not for programs to use directly.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/array.hpp"
#include "weir/detail/run_time_footprint.hpp"
#include "weir/detail/spawn.hpp"

namespace weir {
class Ranks;
}  // namespace weir

namespace weir::detail {

struct OnRank {
  int rank;
};

// One tile of an array of several ranks, in a footprint.
struct RankedItem {
  RankedTile* tile;
  Mode mode;
  const TileReduction* reduction = nullptr;  // mode reduce only
  const void* identity = nullptr;            // the same: an element, read while spawn() runs
};

// Null: of an array of this process alone, or no tile.
inline RankedTile* ranked_of(const Access& access) noexcept {
  switch (access.storage) {
    case Storage::tile_1d: return static_cast<const Tile<1>*>(access.identity)->ranked;
    case Storage::tile_2d: return static_cast<const Tile<2>*>(access.identity)->ranked;
    case Storage::tile_3d: return static_cast<const Tile<3>*>(access.identity)->ranked;
    case Storage::block:
    case Storage::program: break;
  }
  return nullptr;
}
// What tasks of this rank are given as the tile: the array's Tile<Rank>, or one like it, with the block of another
// rank's tile that this rank has now.
const void* tile_here(const RankedTile& tile) noexcept;
inline BlockBase* block_here(const Access& access) noexcept { return *static_cast<BlockBase* const*>(access.identity); }
inline void place_here(Access& access) noexcept {
  const RankedTile* const tile = ranked_of(access);
  if (tile == nullptr) return;
  if (block_here(access) == nullptr) access.identity = tile_here(*tile);
  access.region.base = block_here(access);
}
static_assert(offsetof(Tile<1>, block) == 0 && offsetof(Tile<2>, block) == 0 && offsetof(Tile<3>, block) == 0);

template <class T>
inline constexpr bool kIsTileReduction = false;
template <class T, std::size_t Rank>
inline constexpr bool kIsTileReduction<TileReduceItem<T, Rank>> = true;

// Where tasks of this rank accumulate into the tile: its block, or a copy of this rank's.
BlockBase* block_to_reduce(const RankedTile& tile) noexcept;

// The distributed part of a footprint, and where the task is to run.
class RankedFootprint {
 public:
  template <class... Arguments>
  explicit RankedFootprint(const Arguments&... arguments) : items_((count(arguments) + ... + 0)) {
    (add(arguments), ...);
  }
  std::span<const RankedItem> items() const noexcept { return {items_.first(), items_.size()}; }
  // None: the owner of the first tile that the task writes, or names.
  std::optional<int> on_rank() const noexcept { return on_rank_; }
  const char* name() const noexcept { return name_; }  // null: none
  // Items that are memory of the process and that the task writes; read while spawn() runs.
  static constexpr std::size_t kMostWritten = 8;
  std::size_t written_count() const noexcept { return written_count_; }  // may be more than are kept
  std::span<const Access* const> written() const noexcept {
    return {written_, written_count_ < kMostWritten ? written_count_ : kMostWritten};
  }
  // The task writes a block that is no tile of a distributed array.
  bool writes_own_block() const noexcept { return writes_own_block_; }

 private:
  static constexpr std::size_t kFew = 16;

  template <class T>
  static std::size_t count(const T& argument) noexcept {
    if constexpr (kIsItemRange<T>) {
      return std::span<const Access>(argument).size();
    } else {
      return kIsItem<T> ? 1 : 0;
    }
  }
  template <class T>
  void add(const T& argument) {
    if constexpr (std::is_same_v<T, OnRank>) {
      on_rank_ = argument.rank;
    } else if constexpr (std::is_same_v<T, Name>) {
      name_ = argument.text;
    } else if constexpr (kIsItemRange<T>) {
      for (const Access& access : std::span<const Access>(argument)) add_access(access);
    } else if constexpr (kIsTileReduction<T>) {
      if (RankedTile* const tile = ranked_of(argument.access))
        ::new (items_.room_for_next()) RankedItem{tile, Mode::reduce, argument.reduction, &argument.identity};
      else
        writes_own_block_ = true;
    } else if constexpr (kIsItem<T>) {
      add_access(argument.access);
    }
  }
  void add_access(const Access& access) noexcept {
    if (RankedTile* const tile = ranked_of(access)) {
      ::new (items_.room_for_next()) RankedItem{tile, access.mode};
    } else if (writes(access.mode)) {
      if (access.is_block()) {
        writes_own_block_ = true;
        return;
      }
      if (written_count_ < kMostWritten) written_[written_count_] = &access;
      ++written_count_;
    }
  }

  Gathered<RankedItem, kFew> items_;
  std::optional<int> on_rank_;
  const char* name_ = nullptr;
  const Access* written_[kMostWritten];
  std::size_t written_count_ = 0;
  bool writes_own_block_ = false;
};

// An argument of spawn() as the runtime of this rank takes it, when the task runs here: tiles with the blocks that
// they have here by now.
inline Nothing as_here(const OnRank&) noexcept { return {}; }
template <class T>
auto as_here(const T& argument) {
  if constexpr (kIsItemRange<T>) {
    const std::span<const Access> range(argument);
    std::vector<Access> here(range.begin(), range.end());
    for (Access& access : here) place_here(access);
    return here;
  } else {
    T here = argument;
    if constexpr (kIsTileReduction<T>) {
      if (const RankedTile* const tile = ranked_of(here.access)) here.access.region.base = block_to_reduce(*tile);
    } else if constexpr (kIsItem<T>) {
      place_here(here.access);
    }
    return here;
  }
}

// Files that tiles are read from and written to (src/cluster/tile_file.hpp), by tasks of any number at a time.
class TileFile;
struct TileFileUse {
  std::size_t bytes;  // in all
  bool is_written;
  std::size_t tiles;  // that this rank reads there, or writes
};
// One that is written is made when it is not there, and has that many bytes afterwards. What is wrong is thrown by the
// tasks that use it.
std::shared_ptr<TileFile> open_tile_file(const std::string& path, const TileFileUse& use);
// Throw weir::Error with the path and what the system says, also for a file to be read that has another length.
void read_tile_file(TileFile& file, void* to, std::size_t bytes, std::size_t offset);
void write_tile_file(TileFile& file, const void* from, std::size_t bytes, std::size_t offset);
// One of this rank's was read, or written: with the last one, all that it has written is on the device.
void end_tile(TileFile& file);

int owner_of(const RankedTile& tile) noexcept;

// The memory that gather() fills: the whole array, on one rank.
struct GatherTo {
  int root;
  const void* first;
  std::size_t bytes;
};
using CopyTile = std::function<void(const std::byte* contents)>;
// Before gather() spawns a task that copies a tile. True: none is needed, since the run is on its way to the checkpoint
// that it goes on from; on the root `copy` was called with what the tile has there. Throws weir::Error where the tile
// was written in between. `tile`: null of an array that is not distributed.
bool gather_from_checkpoint(Ranks& ranks, RankedTile* tile, const GatherTo& to, const CopyTile& copy);

struct RanksState;  // src/cluster/ranks_state.hpp

// Notes what the task does on all ranks, and begins what has to be sent or received for it. True: it runs here.
bool plan_task(RanksState& state, const RankedFootprint& footprint);

// Within the handler of what runtime().spawn() has thrown here for a task that all ranks have planned.
void announce_failed_spawn(RanksState& state) noexcept;

// Forgets the copies of the tile on all ranks but its owner and the one that has written it last. Throws weir::Error
// for null.
void drop_copies(RanksState& state, RankedTile* tile);

// Within the handler of what a call has thrown because of its arguments, before it came to the library.
void note_refused(Ranks& ranks) noexcept;

struct NewTile {
  std::span<std::byte> place;  // the array's Tile<Rank>, which begins with its block
  RankedTile** ranked;
  std::size_t bytes;  // of its contents
};
// Collective: what the ranks know of the tiles of an array, in the order of the grid; of its own tiles a rank has
// blocks from here on. Throws weir::Error.
std::shared_ptr<void> share_tiles(Ranks& ranks, std::span<const NewTile> tiles, std::span<const std::size_t> grid,
                                  const Distribution& distribution, const char* name);

}  // namespace weir::detail
