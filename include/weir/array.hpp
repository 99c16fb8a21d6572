// SPDX-License-Identifier: Apache-2.0

// Array: 1 to 3 dimensions of T in tiles, each tile a block that Weir can move between memory tiers.
//
//   weir::Array<double, 2> a(runtime, {rows, cols}, {256, 256}, "a");
//   runtime.spawn(weir::inout(a.tile(i, j)), [](weir::View2D<double> t) { t(0, 0) = 1; });
//
// Tiles at the edges are smaller. A task gets a std::span, View2D or View3D on a tile, valid while it runs: strided
// where the tile is used in the program's own memory. As for Block: what no task has written is undefined, destroying
// an array waits for the tasks that name its tiles, and its runtime should outlive it. What tile() gives is the
// array's: it may be used as long as that lives.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weir/block.hpp"
#include "weir/items.hpp"

namespace weir {

class Ranks;         // ranks.hpp
class Distribution;  // distribution.hpp

// A view of planes x rows x cols elements; rows are contiguous.
template <class T>
class View3D {
 public:
  View3D(T* data, std::size_t planes, std::size_t rows, std::size_t cols, std::size_t plane_stride,
         std::size_t stride) noexcept
      : data_(data), planes_(planes), rows_(rows), cols_(cols), plane_stride_(plane_stride), stride_(stride) {}
  T& operator()(std::size_t plane, std::size_t row, std::size_t col) const noexcept {
    return data_[plane * plane_stride_ + row * stride_ + col];
  }
  View2D<T> plane(std::size_t index) const noexcept { return {data_ + index * plane_stride_, rows_, cols_, stride_}; }
  T* data() const noexcept { return data_; }
  std::size_t planes() const noexcept { return planes_; }
  std::size_t rows() const noexcept { return rows_; }
  std::size_t cols() const noexcept { return cols_; }
  std::size_t plane_stride() const noexcept { return plane_stride_; }  // elements
  std::size_t stride() const noexcept { return stride_; }              // elements, from row to row

 private:
  T* data_;
  std::size_t planes_, rows_, cols_, plane_stride_, stride_;
};

// One tile of an Array, to be wrapped by in(), out() and so on.
template <class T, std::size_t Rank>
class ArrayTile {
 public:
  explicit ArrayTile(const detail::Tile<Rank>& tile) noexcept : tile_(&tile) {}
  // Elements in each dimension.
  const std::array<std::size_t, Rank>& extents() const noexcept { return tile_->extents; }
  // Where it is now: a std::span<T>, View2D<T> or View3D<T>. Inside a task that names it in its footprint.
  auto view() const noexcept { return detail::view_of<T>(*tile_, detail::tile_address_here(*tile_)); }

  const detail::Tile<Rank>& tile() const noexcept { return *tile_; }  // for footprints

 private:
  const detail::Tile<Rank>* tile_;
};

template <class T, std::size_t Rank>
class Array {
  static_assert(Rank >= 1 && Rank <= 3, "an array has 1 to 3 dimensions");
  static_assert(std::is_trivially_copyable_v<T>, "a tile is moved as bytes");

 public:
  using Extents = std::array<std::size_t, Rank>;

  // `shape` and `tile` in elements, each >= 1, the slowest dimension first. Tiles are called "a[2,0]" in messages and
  // traces. Throws weir::Error for an extent of 0, for more elements than there are addresses, and when no tier has
  // room.
  Array(Runtime& runtime, const Extents& shape, const Extents& tile, const char* name = "")
      : Array(runtime, {name, Rank, sizeof(T), shape.data(), tile.data(), nullptr, nullptr}, shape, tile, nullptr, {}) {
  }

  // The program's own memory, without a copy: element (i, j, k) at data[i * strides[0] + j * strides[1] + k], so that
  // the last stride is 1. It must outlive the array; flush() and the destructor bring the contents back to it. Throws
  // weir::Error for null, and for rows or planes that overlap, too.
  static Array adopt(Runtime& runtime, T* data, const Extents& shape, const Extents& strides, const Extents& tile,
                     const char* name = "") {
    return Array(runtime, {name, Rank, sizeof(T), shape.data(), tile.data(), strides.data(), data}, shape, tile, data,
                 strides);
  }

  // An array of all ranks of a job, each of which owns the tiles that `distribution` gives to it and has memory for
  // those, and for the tiles of others that its tasks use. Collective; tasks that name its tiles are given to
  // Ranks::spawn(). Defined in ranks.hpp, which is to be included. Throws weir::Error as above, and for a distribution
  // that names a rank that is none.
  static Array distribute(Ranks& ranks, const Extents& shape, const Extents& tile, const Distribution& distribution,
                          const char* name = "");

  Array(Array&&) noexcept = default;
  Array& operator=(Array&&) noexcept = default;
  // As Block's, tile by tile.
  ~Array() = default;

  const Extents& shape() const noexcept { return shape_; }
  const Extents& tile_shape() const noexcept { return tile_shape_; }  // of an inner tile
  const Extents& tiles() const noexcept { return grid_; }             // in each dimension

  // A tile by its place in the grid of tiles, e.g. tile(i, j) with i < tiles()[0] and j < tiles()[1]; beyond that the
  // process ends with a message.
  template <class... Index>
  requires(sizeof...(Index) == Rank) ArrayTile<T, Rank> tile(Index... index)
  const noexcept {
    if (tiles_ == nullptr) [[unlikely]]
      detail::moved_from("tile() of an array");
    const Extents at{static_cast<std::size_t>(index)...};
    std::size_t i = 0;
    for (std::size_t d = 0; d < Rank; ++d) {
      if (at[d] >= grid_[d]) [[unlikely]]
        detail::no_such_tile(tiles_->name.c_str(), at.data(), grid_.data(), Rank);
      i = i * grid_[d] + at[d];
    }
    return ArrayTile<T, Rank>((*tiles_)[i]);
  }

  // Adopted arrays: as Block::flush().
  void flush() {
    if (tiles_ == nullptr) detail::flush_block(nullptr);
    for (const detail::Tile<Rank>& tile : *tiles_) detail::flush_block(tile.block);
  }

 private:
  // On the heap, so that tiles stay where they are when the array is moved.
  struct Tiles : std::vector<detail::Tile<Rank>> {
    std::string name;              // the array's, or empty
    std::shared_ptr<void> ranked;  // what ranks know of them
    std::shared_ptr<Tiles> share;  // the array's

    Tiles() = default;
    Tiles(const Tiles&) = delete;
    Tiles& operator=(const Tiles&) = delete;
  };
  // Tasks that name a tile read the table, also after an array that was destroyed in another task: each block has a
  // share of it, and lives until they have ended.
  struct EndTiles {
    void operator()(Tiles* tiles) const noexcept {
      const std::shared_ptr<Tiles> table = std::move(tiles->share);
      for (const detail::Tile<Rank>& tile : *table) {
        if (tile.block == nullptr) continue;
        tile.block->tiles = table;
        detail::drop_block(tile.block);
      }
      table->ranked.reset();
    }
  };
  using OwnedTiles = std::unique_ptr<Tiles, EndTiles>;

  static OwnedTiles make_tiles() {
    auto tiles = std::make_shared<Tiles>();
    tiles->share = tiles;
    return OwnedTiles(tiles.get());
  }

  // Tiles without blocks.
  Array(const detail::ArrayShape& asked, const Extents& shape, const Extents& tile)
      : shape_(shape), tile_shape_(tile), tiles_(make_tiles()) {
    detail::check_array(asked);
    if (asked.name != nullptr) tiles_->name = asked.name;
    std::size_t count = 1;
    for (std::size_t d = 0; d < Rank; ++d) count *= grid_[d] = shape[d] / tile[d] + (shape[d] % tile[d] != 0);
    make_room(asked.name, count);
    for (std::size_t i = 0; i < count; ++i) set_extents((*tiles_)[i], place_of(i));
  }
  Array(Runtime& runtime, const detail::ArrayShape& asked, const Extents& shape, const Extents& tile, T* data,
        const Extents& strides)
      : Array(asked, shape, tile) {
    for (std::size_t i = 0; i < tiles_->size(); ++i) make_block(runtime, i, data, strides, asked.name);
  }

  void make_room(const char* name, std::size_t count) {
    try {
      tiles_->resize(count);
    } catch (const std::exception&) {  // std::bad_alloc, std::length_error
      detail::refuse_tiles(name, count);
    }
  }

  Extents place_of(std::size_t index) const noexcept {
    Extents place{};
    for (std::size_t d = Rank; d-- > 0; index /= grid_[d]) place[d] = index % grid_[d];
    return place;
  }

  void set_extents(detail::Tile<Rank>& tile, const Extents& place) const noexcept {
    for (std::size_t d = 0; d < Rank; ++d) {
      const std::size_t first = place[d] * tile_shape_[d];
      tile.extents[d] = tile_shape_[d] <= shape_[d] - first ? tile_shape_[d] : shape_[d] - first;
    }
  }

  void make_block(Runtime& runtime, std::size_t index, T* data, const Extents& strides, const char* name) {
    detail::Tile<Rank>& tile = (*tiles_)[index];
    const Extents place = place_of(index);
    for (std::size_t d = 0; data != nullptr && d < Rank; ++d)
      data += place[d] * tile_shape_[d] * (d + 1 == Rank ? 1 : strides[d]);
    tile.program = data;
    tile.program_strides = strides;
    detail::BlockLayout layout{tile.extents[Rank - 1] * sizeof(T), {1, 1}, {0, 0}};
    for (std::size_t d = 0; d + 1 < Rank; ++d) {  // counts[1] is the inner one
      const std::size_t slot = d + 3 - Rank;
      layout.counts[slot] = tile.extents[d];
      layout.strides[slot] = strides[d] * sizeof(T);
    }
    tile.block = detail::make_block(runtime, layout, data, name_of(name, place).c_str());
  }

  static std::string name_of(const char* name, const Extents& place) {
    std::string text = name != nullptr ? name : "";
    if (text.empty()) return text;
    for (std::size_t d = 0; d < Rank; ++d) {
      text += d == 0 ? '[' : ',';
      text += std::to_string(place[d]);
    }
    text += ']';
    return text;
  }

  Extents shape_{}, tile_shape_{}, grid_{};
  OwnedTiles tiles_;
};

namespace detail {

template <class T, std::size_t Rank>
inline constexpr bool kStandsForMemory<Array<T, Rank>> = true;
template <class T, std::size_t Rank>
inline constexpr bool kStandsForMemory<ArrayTile<T, Rank>> = true;

template <class T, std::size_t Rank, Mode M>
struct ArrayItem : ItemTag {};  // ... gets a std::span<T>, View2D<T> or View3D<T>
template <class T, std::size_t Rank, Mode M>
inline constexpr bool kIsBlock<ArrayItem<T, Rank, M>> = true;

template <class T, std::size_t Rank, Mode M>
struct Argument<ArrayItem<T, Rank, M>> {
  const Tile<Rank>* tile;
  explicit Argument(const Access& access) noexcept : tile(static_cast<const Tile<Rank>*>(access.identity)) {}
  auto get(Task* self, std::uint32_t&) const noexcept { return view_of<T>(*tile, address_in(self, tile->block)); }
  Access access() const noexcept { return tile_access(*tile, M); }
};

// ... gets the same; on a rank that has not the newest version, of a copy of that rank's (ranks.hpp).
template <class T, std::size_t Rank>
struct TileReduceItem : ItemTag {
  operator Access() const = delete;  // as ReduceItem
  const TileReduction* reduction;
  T identity;
};
template <class T, std::size_t Rank>
inline constexpr bool kIsBlock<TileReduceItem<T, Rank>> = true;

template <class T, std::size_t Rank>
struct Argument<TileReduceItem<T, Rank>> {
  const Tile<Rank>* tile;
  BlockBase* block;  // the tile's, or the copy
  explicit Argument(const Access& access) noexcept
      : tile(static_cast<const Tile<Rank>*>(access.identity)), block(block_of(access)) {}
  auto get(Task* self, std::uint32_t&) const noexcept { return view_of<T>(*tile, address_in(self, block)); }
  Access access() const noexcept {
    Access access = tile_access(*tile, Mode::inout);
    access.region.base = block;
    return access;
  }
};

template <class T, class Op>
inline constexpr TileReduction kTileReduction{sizeof(T),
                                              [](void* copy, std::size_t bytes, const void* identity) {
                                                std::fill_n(static_cast<T*>(copy), bytes / sizeof(T),
                                                            *static_cast<const T*>(identity));
                                              },
                                              [](void* target, const void* copy, std::size_t bytes) {
                                                T* const to = static_cast<T*>(target);
                                                const T* const from = static_cast<const T*>(copy);
                                                for (std::size_t i = 0; i < bytes / sizeof(T); ++i)
                                                  to[i] = Op()(to[i], from[i]);
                                              }};

template <Mode M, class T, std::size_t Rank>
ArrayItem<T, Rank, M> array_item(const Tile<Rank>& tile) noexcept {
  check_constness<M, T>();
  return {{tile_access(tile, M)}};
}

}  // namespace detail

template <class T>
View3D<T> Item::view3d() const noexcept {
  check<T>(has_elements<T, 3>(Storage::tile_3d), "weir::View3D");
  return detail::view_of<T>(*static_cast<const detail::Tile<3>*>(kept_->base), address());
}

template <class T, std::size_t Rank>
auto in(const ArrayTile<T, Rank>& tile) noexcept {
  return detail::array_item<Mode::in, const T>(tile.tile());
}
template <class T, std::size_t Rank>
auto out(const ArrayTile<T, Rank>& tile) noexcept {
  return detail::array_item<Mode::out, T>(tile.tile());
}
template <class T, std::size_t Rank>
auto inout(const ArrayTile<T, Rank>& tile) noexcept {
  return detail::array_item<Mode::inout, T>(tile.tile());
}
template <class T, std::size_t Rank>
auto concurrent(const ArrayTile<T, Rank>& tile) noexcept {
  return detail::array_item<Mode::concurrent, T>(tile.tile());
}
template <class T, std::size_t Rank>
auto commutative(const ArrayTile<T, Rank>& tile) noexcept {
  return detail::array_item<Mode::commutative, T>(tile.tile());
}

// Accumulates: all that the callable does with an element is element = op(element, what it adds). In one process that
// is inout(). Tasks of a distributed array (ranks.hpp) run at the same time on different ranks: a rank that has not
// the newest version accumulates into a copy of its own, which begins with `identity` in every element, and the copies
// are folded before the next access in another mode. Op must be associative, commutative and stateless. The order in
// which elements are put together follows from the tasks and their ranks: the same bits in each run on as many ranks.
template <class T, std::size_t Rank, class Op>
auto reduce(const ArrayTile<T, Rank>& tile, Op, const std::type_identity_t<T>& identity) noexcept {
  static_assert(std::is_empty_v<Op> && std::is_default_constructible_v<Op>, "a reduction's operation has no state");
  detail::check_constness<Mode::inout, T>();
  return detail::TileReduceItem<T, Rank>{
      {detail::tile_access(tile.tile(), Mode::inout)}, &detail::kTileReduction<T, Op>, identity};
}

}  // namespace weir
