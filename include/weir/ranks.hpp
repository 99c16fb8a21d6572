// SPDX-License-Identifier: Apache-2.0

// Ranks: tasks with footprints over the processes of a job (weir run -n, mpirun, srun), and arrays larger than one of
// them.
//
//   weir::Ranks ranks;
//   auto a = weir::Array<double, 2>::distribute(ranks, {n, n}, {256, 256}, weir::block_cyclic_2d(2, 2), "a");
//   for (...) ranks.spawn(weir::in(a.tile(i, k)), weir::inout(a.tile(i, j)), [](auto from, auto to) { ... });
//   ranks.wait();
//
// Every rank runs the same program text and spawns the same tasks in the same order (sequential task flow). A task runs
// on one rank: the owner of the first tile that it writes, or on_rank(). The others skip it, at a few nanoseconds for
// each tile. What it reads and another rank has written is sent there ahead of it, once for each rank and version; what
// it writes is the newest version from then on, wherever the tile's owner is. The program is the same on one rank, and
// started bare it is one.
//
// Footprints may also name memory of the process itself; only the rank that runs the task looks at those items. What a
// task is spawned with must not depend on the rank, but for the function's own captures.
//
// Calls of Ranks are for the thread that made it, outside of tasks. "Collective": every rank calls it, in the same
// order. So are making and destroying distributed arrays. Link the library weir-cluster (weir::weir_cluster in CMake).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weir/array.hpp"
#include "weir/detail/ranked.hpp"
#include "weir/distribution.hpp"
#include "weir/keep.hpp"
#include "weir/runtime.hpp"

namespace weir {

// The task runs on this rank, in [0, ranks.size()); an attribute of Ranks::spawn(), the same on all ranks.
inline detail::OnRank on_rank(int rank) noexcept { return {rank}; }

class Ranks {
 public:
  // Collective. Joins the job that has started this process, and makes this rank's runtime, whose tiers lie in memory
  // that the other ranks reach. Without tiers in the options, ranks of one host share its free memory evenly.
  // Throws weir::Error when a rank is lost before it comes, when the job cannot be understood, when ranks of several
  // hosts are reached over an MPI that the program has initialised for less than MPI_THREAD_MULTIPLE, when ranks were
  // given different limits of copies or checkpoints, and as Runtime's constructor. Where weir run or an MPI's launcher
  // has started the job, the others may come as late as they like; else within a minute. The first of a process and the
  // end of the last set and take away WEIR_JOINED_RANK: while they do, no other thread may use getenv().
  explicit Ranks(const Options& options = Options::from_environment());
  // Collective, unless a rank has failed: waits for the tasks of all ranks. No array of it lives any more.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const noexcept;
  int size() const noexcept;
  // Of this rank: for tasks that no other rank has to do with.
  Runtime& runtime() noexcept;

  // As Runtime::spawn(), with tiles of distributed arrays among the items, and on_rank() among the attributes. A task
  // gives no handle: what it makes is for tasks that name the tile. Where the task does not run, its callable is
  // dropped. Throws weir::Error for a rank that there is none of, for a task that names no such tile and no rank, in a
  // task, and after a rank has failed. What the rank that runs the task throws here is a failure of all, and so is what
  // one rank alone refuses because of the arguments.
  template <class... Arguments>
  void spawn(Arguments&&... arguments) {
    static_assert(sizeof...(Arguments) != 0, "spawn() needs a callable, after the footprint and the attributes");
    spawn_all(std::make_index_sequence<sizeof...(Arguments) - 1>{},
              detail::Pack<Arguments&&...>{{std::forward<Arguments>(arguments)}...});
  }

  // Waits until the tasks of this rank have ended, and all that others have to be sent of it has arrived there. What
  // ranks have accumulated into tiles (reduce()) is folded, so after such tasks, and with checkpoints, all ranks call
  // it at the same place. Throws what a task has thrown; on the other ranks weir::Error with the rank and the text, as
  // when a rank is lost, or has ended its Ranks, or waits in barrier(), before it has sent or read a tile that this one
  // waits for; and on all ranks when some wait here for one another, each for what another has not spawned. From then
  // on this Ranks can only be destroyed.
  void wait();
  // Collective: wait() on all ranks. weir::Error with the rank when one ends its Ranks instead.
  void barrier();

  // Collective: wait(), and then a checkpoint of all ranks, as Runtime::checkpoint().
  void checkpoint();
  // As Runtime::is_restarting(): the same on all ranks.
  bool is_restarting() const noexcept;

  // Collective, at the same place among the tasks: a rank that neither owns the tile nor has written it last forgets
  // it, and its memory is given back when the tasks that were spawned before have ended. A task there that reads it
  // later has it sent once more. WEIR_RANK_COPIES does that by itself (docs/ranks.md). Throws weir::Error for a tile of
  // an array that is not distributed, and after a rank has failed.
  template <class T, std::size_t Dimensions>
  void drop_copies(const ArrayTile<T, Dimensions>& tile) {
    detail::drop_copies(*state_, tile.tile().ranked);
  }
  // The same of all tiles of an array.
  template <class T, std::size_t Dimensions>
  void drop_copies(const Array<T, Dimensions>& array);

  // What this rank sends to and receives from others for the tasks that were spawned so far, in whole tiles.
  struct Traffic {
    std::uint64_t tiles_sent = 0, bytes_sent = 0, tiles_received = 0, bytes_received = 0;
  };
  Traffic traffic() const noexcept;

 private:
  friend std::shared_ptr<void> detail::share_tiles(Ranks& ranks, std::span<const detail::NewTile> tiles,
                                                   std::span<const std::size_t> grid, const Distribution& distribution,
                                                   const char* name);
  friend checkpoint::Variables* detail::kept_variables(Ranks& ranks);
  friend bool detail::gather_from_checkpoint(Ranks& ranks, detail::RankedTile* tile, const detail::GatherTo& to,
                                             const detail::CopyTile& copy);
  friend void detail::note_refused(Ranks& ranks) noexcept;

  template <std::size_t... I, class All>
  void spawn_all(std::index_sequence<I...>, All all) {
    if (!detail::plan_task(*state_, detail::RankedFootprint(detail::at<I>(all)...))) return;
    try {
      runtime().spawn(detail::as_here(detail::at<I>(all))..., detail::take<sizeof...(I)>(all));
    } catch (...) {
      detail::announce_failed_spawn(*state_);
      throw;
    }
  }

  std::unique_ptr<detail::RanksState, void (*)(detail::RanksState*)> state_;
};

template <class T, std::size_t Rank>
Array<T, Rank> Array<T, Rank>::distribute(Ranks& ranks, const Extents& shape, const Extents& tile,
                                          const Distribution& distribution, const char* name) {
  Array array = [&] {
    try {
      return Array({name, Rank, sizeof(T), shape.data(), tile.data(), nullptr, nullptr}, shape, tile);
    } catch (...) {
      detail::note_refused(ranks);
      throw;
    }
  }();
  std::vector<detail::NewTile> tiles;
  tiles.reserve(array.tiles_->size());
  for (detail::Tile<Rank>& each : *array.tiles_) {
    std::size_t bytes = sizeof(T);
    for (const std::size_t extent : each.extents) bytes *= extent;
    tiles.push_back({std::as_writable_bytes(std::span(&each, 1)), &each.ranked, bytes});
  }
  array.tiles_->ranked = detail::share_tiles(ranks, tiles, array.grid_, distribution, name);
  return array;
}

// ---- Arrays in one piece ----
// Collective, as tasks are; wait() before the memory is used. `data`: the whole array, dense, on the rank `root` alone.

// Copies the newest contents of all tiles to `data` on `root`. While ranks.is_restarting() they are taken from the
// checkpoint, and weir::Error is thrown for a tile that was written between this call and the checkpoint; memory that
// is kept (weir::Keep) has its values again at the next wait.
template <class T, std::size_t Rank>
void gather(Ranks& ranks, const Array<T, Rank>& array, T* data, int root = 0);
// From `data` on `root` to the tiles.
template <class T, std::size_t Rank>
void scatter(Ranks& ranks, const Array<T, Rank>& array, const T* data, int root = 0);

// ---- Arrays in files ----
// Collective, as tasks are. Elements lie as they do in memory. A failure is that of a task: wait() throws weir::Error
// with the path and what the system says; a file to be read has to have the array's length exactly. What this rank
// writes is on the device when wait() returns, that of all ranks after barrier().

// One file of the whole array, dense, that all ranks reach: each reads or writes the tiles that it owns.
template <class T, std::size_t Rank>
void read_file(Ranks& ranks, const Array<T, Rank>& array, const std::string& path);
template <class T, std::size_t Rank>
void write_file(Ranks& ranks, const Array<T, Rank>& array, const std::string& path);
// A file for each rank, PREFIX.0, PREFIX.1 and so on, with the tiles that it owns one behind the other, for the same
// distribution only: long sequential accesses, and nothing has to be reached by two ranks.
template <class T, std::size_t Rank>
void read_tiles(Ranks& ranks, const Array<T, Rank>& array, const std::string& prefix);
template <class T, std::size_t Rank>
void write_tiles(Ranks& ranks, const Array<T, Rank>& array, const std::string& prefix);

namespace detail {

template <std::size_t Rank>
std::size_t elements_of(const std::array<std::size_t, Rank>& extents) noexcept {
  std::size_t count = 1;
  for (const std::size_t extent : extents) count *= extent;
  return count;
}

template <class T, std::size_t Rank, class F, std::size_t... I>
void call_by_place(const Array<T, Rank>& array, const std::array<std::size_t, Rank>& place, std::size_t offset, F&& f,
                   std::index_sequence<I...>) {
  f(array.tile(place[I]...), offset);
}

// Calls f(tile, place of its first element in the dense array).
template <class T, std::size_t Rank, class F>
void for_each_tile(const Array<T, Rank>& array, F&& f) {
  std::size_t count = 1;
  for (const std::size_t tiles : array.tiles()) count *= tiles;
  for (std::size_t i = 0; i < count; ++i) {
    std::array<std::size_t, Rank> place{};
    std::size_t rest = i, offset = 0;
    for (std::size_t d = Rank; d-- > 0; rest /= array.tiles()[d]) place[d] = rest % array.tiles()[d];
    for (std::size_t d = 0; d < Rank; ++d) offset = offset * array.shape()[d] + place[d] * array.tile_shape()[d];
    detail::call_by_place(array, place, offset, f, std::make_index_sequence<Rank>{});
  }
}

// For each row of a tile: f(row in the tile, row in the dense array, elements). `whole`: where the tile begins in the
// dense array, a pointer or a number.
template <std::size_t Rank, class Part, class Whole, class F>
void for_each_row(const std::array<std::size_t, Rank>& extents, const std::array<std::size_t, Rank>& shape, Part* part,
                  Whole whole, F&& f) {
  std::size_t rows = 1;
  for (std::size_t d = 0; d + 1 < Rank; ++d) rows *= extents[d];
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t offset = 0;
    if constexpr (Rank == 2) offset = row * shape[1];
    if constexpr (Rank == 3) offset = (row / extents[1] * shape[1] + row % extents[1]) * shape[2];
    f(part + row * extents[Rank - 1], whole + offset, extents[Rank - 1]);
  }
}

}  // namespace detail

template <class T, std::size_t Rank>
void Ranks::drop_copies(const Array<T, Rank>& array) {
  detail::for_each_tile(array, [&](const ArrayTile<T, Rank>& tile, std::size_t) { drop_copies(tile); });
}

template <class T, std::size_t Rank>
void gather(Ranks& ranks, const Array<T, Rank>& array, T* data, int root) {
  const detail::GatherTo memory{root, data, detail::elements_of(array.shape()) * sizeof(T)};
  detail::for_each_tile(array, [&](const ArrayTile<T, Rank>& tile, std::size_t offset) {
    const auto copy = [data, offset, extents = tile.extents(), shape = array.shape()](const T* from) {
      detail::for_each_row(extents, shape, from, data + offset,
                           [](const T* part, T* whole, std::size_t n) { std::copy(part, part + n, whole); });
    };
    const bool is_done = detail::gather_from_checkpoint(
        ranks, tile.tile().ranked, memory, [&](const std::byte* from) { copy(reinterpret_cast<const T*>(from)); });
    if (!is_done) ranks.spawn(on_rank(root), name("gather"), weir::in(tile), [copy](auto from) { copy(from.data()); });
  });
}

template <class T, std::size_t Rank>
void scatter(Ranks& ranks, const Array<T, Rank>& array, const T* data, int root) {
  detail::for_each_tile(array, [&](const ArrayTile<T, Rank>& tile, std::size_t offset) {
    ranks.spawn(on_rank(root), name("scatter"), weir::out(tile),
                [data, offset, extents = tile.extents(), shape = array.shape()](auto to) {
                  const T* const from = data + offset;
                  detail::for_each_row(extents, shape, to.data(), from, [](T* part, const T* whole, std::size_t n) {
                    std::copy(whole, whole + n, part);
                  });
                });
  });
}

namespace detail {

// Null while the run is on its way to where its checkpoint was made: no task reads or writes there, and a file that is
// gone by now is not made again.
//
// A file that cannot be opened is a failure of the tasks that use it: on a rank that has no tile there, of one more.
inline std::shared_ptr<TileFile> open_for_tasks(Ranks& ranks, const std::string& path, const TileFileUse& use) {
  if (ranks.is_restarting()) return nullptr;
  auto file = open_tile_file(path, use);
  if (use.tiles == 0) ranks.runtime().spawn(name("open"), [file] { read_tile_file(*file, nullptr, 0, 0); });
  return file;
}

template <class T, std::size_t Rank>
bool is_own(const Ranks& ranks, const ArrayTile<T, Rank>& tile) {
  const RankedTile* const ranked = tile.tile().ranked;
  return ranked != nullptr && owner_of(*ranked) == ranks.rank();
}

// The file of the whole array.
template <class T, std::size_t Rank, class Act>
void with_whole_file(Ranks& ranks, const Array<T, Rank>& array, const std::string& path, bool is_written,
                     const Act& act) {
  std::size_t tiles = 0;
  detail::for_each_tile(
      array, [&](const ArrayTile<T, Rank>& tile, std::size_t) { tiles += detail::is_own(ranks, tile) ? 1 : 0; });
  const auto file = open_for_tasks(ranks, path, {elements_of(array.shape()) * sizeof(T), is_written, tiles});
  detail::for_each_tile(array, [&](const ArrayTile<T, Rank>& tile, std::size_t first) {
    act(tile, [file, first, extents = tile.extents(), shape = array.shape()](auto* part, auto transfer) {
      detail::for_each_row(extents, shape, part, first, [&](auto* row, std::size_t place, std::size_t n) {
        transfer(*file, row, n * sizeof(T), place * sizeof(T));
      });
      end_tile(*file);
    });
  });
}

// The file of this rank; of the tiles of others nothing is done there.
template <class T, std::size_t Rank, class Act>
void with_own_file(Ranks& ranks, const Array<T, Rank>& array, const std::string& prefix, bool is_written,
                   const Act& act) {
  TileFileUse use{0, is_written, 0};
  detail::for_each_tile(array, [&](const ArrayTile<T, Rank>& tile, std::size_t) {
    if (!detail::is_own(ranks, tile)) return;
    use.bytes += elements_of(tile.extents()) * sizeof(T);
    ++use.tiles;
  });
  const auto file = open_for_tasks(ranks, prefix + "." + std::to_string(ranks.rank()), use);
  std::size_t place = 0;
  detail::for_each_tile(array, [&](const ArrayTile<T, Rank>& tile, std::size_t) {
    const std::size_t size = elements_of(tile.extents()) * sizeof(T);
    act(tile, [file, place, size](auto* part, auto transfer) {
      transfer(*file, part, size, place);
      end_tile(*file);
    });
    if (detail::is_own(ranks, tile)) place += size;
  });
}

template <class T, std::size_t Rank>
auto read_by(Ranks& ranks) {
  return [&ranks](const ArrayTile<T, Rank>& tile, auto rows) {
    ranks.spawn(name("read"), weir::out(tile), [rows](auto to) { rows(to.data(), read_tile_file); });
  };
}
template <class T, std::size_t Rank>
auto write_by(Ranks& ranks) {
  return [&ranks](const ArrayTile<T, Rank>& tile, auto rows) {
    ranks.spawn(name("write"), weir::in(tile), [rows](auto from) { rows(from.data(), write_tile_file); });
  };
}

}  // namespace detail

template <class T, std::size_t Rank>
void read_file(Ranks& ranks, const Array<T, Rank>& array, const std::string& path) {
  detail::with_whole_file(ranks, array, path, false, detail::read_by<T, Rank>(ranks));
}
template <class T, std::size_t Rank>
void write_file(Ranks& ranks, const Array<T, Rank>& array, const std::string& path) {
  detail::with_whole_file(ranks, array, path, true, detail::write_by<T, Rank>(ranks));
}
template <class T, std::size_t Rank>
void read_tiles(Ranks& ranks, const Array<T, Rank>& array, const std::string& prefix) {
  detail::with_own_file(ranks, array, prefix, false, detail::read_by<T, Rank>(ranks));
}
template <class T, std::size_t Rank>
void write_tiles(Ranks& ranks, const Array<T, Rank>& array, const std::string& prefix) {
  detail::with_own_file(ranks, array, prefix, true, detail::write_by<T, Rank>(ranks));
}

}  // namespace weir
