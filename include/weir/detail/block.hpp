// SPDX-License-Identifier: Apache-2.0

// What the templates of blocks and arrays need of the library: not for programs to use directly.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "weir/detail/spawn.hpp"
#include "weir/footprint.hpp"

namespace weir {
template <class T>
class View3D;  // array.hpp
}  // namespace weir

namespace weir::detail {

inline constexpr std::size_t kBlockAlignment = 64;

// The part of a block that tasks read. The rest is the library's (src/data/block.hpp).
struct BlockBase {
  // Where it is, while there is only one place where tasks may use it; null: each task has a place of its own. The
  // library writes it before it lets a task run; a running task reads the same for as long as it runs.
  std::atomic<void*> address{nullptr};
  std::size_t bytes = 0;
  std::shared_ptr<const void> tiles;  // of an array that was destroyed: its table, which tasks with the block read

 protected:
  BlockBase() = default;
  ~BlockBase() = default;
};

// The form of adopted memory: counts[0] x counts[1] runs of run_bytes, strides[i] bytes from one to the next. In a
// tier's memory the runs lie one behind the other.
struct BlockLayout {
  std::size_t run_bytes = 0;
  std::size_t counts[2] = {1, 1};
  std::size_t strides[2] = {0, 0};

  std::size_t bytes() const noexcept { return run_bytes * counts[0] * counts[1]; }
};

constexpr BlockLayout contiguous(std::size_t bytes) noexcept { return {bytes, {1, 1}, {0, 0}}; }

struct RankedTile;  // src/cluster/tile.hpp

// One tile of an array: its block, its extents, where and how it lies in the program's memory when that was
// adopted, and what ranks know of it when the array is distributed: then it has a block here on the rank that owns it,
// and tasks of others are given one like it.
template <std::size_t Rank>
struct Tile {
  BlockBase* block = nullptr;
  RankedTile* ranked = nullptr;
  std::array<std::size_t, Rank> extents{};
  const void* program = nullptr;
  std::array<std::size_t, Rank> program_strides{};  // elements; the last is 1
};

template <class T, std::size_t Rank>
auto view_of(const Tile<Rank>& tile, void* address) noexcept {
  T* const data = static_cast<T*>(address);
  const auto& n = tile.extents;
  const bool packed = address != tile.program;
  if constexpr (Rank == 1) {
    return std::span<T>(data, n[0]);
  } else if constexpr (Rank == 2) {
    return View2D<T>(data, n[0], n[1], packed ? n[1] : tile.program_strides[0]);
  } else {
    return View3D<T>(data, n[0], n[1], n[2], packed ? n[1] * n[2] : tile.program_strides[0],
                     packed ? n[2] : tile.program_strides[1]);
  }
}

// Of a block of `count` elements. Throws weir::Error for more than there are addresses.
[[noreturn]] void refuse_count(const char* name, std::size_t count, std::size_t element_bytes);
inline BlockLayout elements(const char* name, std::size_t count, std::size_t element_bytes) {
  if (count > kMostBytes / element_bytes) refuse_count(name, count, element_bytes);
  return contiguous(count * element_bytes);
}

// An array as it is asked for, in elements; `strides` null: it is not adopted.
struct ArrayShape {
  const char* name;
  std::size_t rank, element_bytes;
  const std::size_t *shape, *tile, *strides;
  const void* program;
};
// Throws weir::Error for extents of 0, for more than there are addresses, and for adopted memory that is null or whose
// rows or planes overlap.
void check_array(const ArrayShape& array);
[[noreturn]] void refuse_null(const char* name);
[[noreturn]] void moved_from(const char* what) noexcept;  // ends the process with a message
[[noreturn]] void refuse_tiles(const char* name, std::size_t count);

// `program` not null: the memory to adopt. Throw weir::Error.
BlockBase* make_block(Runtime& runtime, const BlockLayout& layout, void* program, const char* name);
void flush_block(BlockBase* block);
void drop_block(BlockBase* block) noexcept;
// Ends the process with a message.
[[noreturn]] void no_such_tile(const char* array, const std::size_t* at, const std::size_t* tiles,
                               std::size_t rank) noexcept;

void* address_slow(Task* self, const BlockBase* block) noexcept;
// Of a block in the footprint of the running task `self`.
inline void* address_in(Task* self, const BlockBase* block) noexcept {
  void* const address = block->address.load(std::memory_order_relaxed);  // written before the task became ready
  return address != nullptr ? address : address_slow(self, block);
}
// Of the task that the calling thread runs, or of one around it.
void* address_here(const BlockBase* block) noexcept;
// The same of a tile of another rank, which has a block while tasks use it.
void* copy_address_here(const RankedTile* tile) noexcept;
template <std::size_t Rank>
void* tile_address_here(const Tile<Rank>& tile) noexcept {
  return tile.block != nullptr ? address_here(tile.block) : copy_address_here(tile.ranked);
}

constexpr Access block_access(BlockBase* block, Mode mode) noexcept {
  return {{block, 1, 1, 0}, nullptr, nullptr, nullptr, mode, false, Storage::block};
}
template <std::size_t Rank>
constexpr Access tile_access(const Tile<Rank>& tile, Mode mode) noexcept {
  constexpr Storage kStorage = static_cast<Storage>(static_cast<std::size_t>(Storage::block) + Rank);
  return {{tile.block, 1, 1, 0}, nullptr, nullptr, &tile, mode, false, kStorage};
}

// The block that an item stands for.
inline BlockBase* block_of(const Access& access) noexcept {
  return static_cast<BlockBase*>(const_cast<void*>(access.region.base));
}

}  // namespace weir::detail
