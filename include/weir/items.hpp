// SPDX-License-Identifier: Apache-2.0

// Items: what a task is given for a range of footprint items whose number is known at run time only.
//
//   std::vector<weir::Access> sources;
//   for (std::size_t s : wanted) sources.push_back(weir::in(blocks[s]));
//   runtime.spawn(sources, weir::out(sum), [](weir::Items from, double& to) {
//     for (std::size_t i = 0; i < from.size(); ++i) to += from[i].span<const double>()[0];
//   });
//
// A range may hold objects, ranges, sections of watched arrays, blocks and tiles in any mode; no reductions. The task
// keeps a copy of it. An Items and what it gives are good until the callable returns, in that callable. The type of the
// elements is the caller's word: only its size, and whether the item may be written, are checked. What does not fit
// ends the process with a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "weir/detail/block.hpp"
#include "weir/footprint.hpp"

namespace weir {

namespace detail {

// What a task keeps of one item of a range. A KeptRows follows each where some item of the range is a section.
struct KeptItem {
  const void* base;      // or the block, or an array's Tile<Rank>
  std::uint64_t packed;  // bytes of a row, 48 bits; mode, 8 bits; storage

  // In one word that is stored once: who reads it next would wait for parts of it.
  static constexpr std::uint64_t pack(const Access& access) noexcept {
    return (access.region.row_bytes & ((std::uint64_t{1} << 48) - 1)) | static_cast<std::uint64_t>(access.mode) << 48 |
           static_cast<std::uint64_t>(access.storage) << 56;
  }
  std::size_t row_bytes() const noexcept { return packed & ((std::uint64_t{1} << 48) - 1); }
  Mode mode() const noexcept { return static_cast<Mode>(packed >> 48 & 0xff); }
  Storage storage() const noexcept { return static_cast<Storage>(packed >> 56); }
  const BlockBase* block() const noexcept {  // not of the program's memory
    return storage() == Storage::block ? static_cast<const BlockBase*>(base) : *static_cast<BlockBase* const*>(base);
  }
};
struct KeptRows {
  const void* partition_or_stride;
  std::uint64_t packed;  // twice the rows, and 1 when there is a partition

  std::size_t rows() const noexcept { return packed >> 1; }
  bool watched() const noexcept { return (packed & 1) != 0; }
};
static_assert(sizeof(KeptItem) == 16 && sizeof(KeptRows) == 16);
static_assert(offsetof(Tile<1>, block) == 0 && offsetof(Tile<2>, block) == 0 && offsetof(Tile<3>, block) == 0);

// What a task keeps of a range: item i at first[i * step]. With step 2 each has its KeptRows.
struct KeptRange {
  const KeptItem* first = nullptr;
  std::uint32_t count = 0;
  std::uint8_t step = 1;
  bool has_blocks = false;
};
static_assert(sizeof(KeptRange) == 16);

// What a callable asks of an item, for the message when the item is none such.
struct AskedView {
  const char* type;
  std::size_t element_bytes;
  bool writes;
};
[[noreturn]] void no_such_item(std::size_t index, std::size_t size) noexcept;
[[noreturn]] void wrong_view(const Access& item, std::size_t index, const AskedView& asked) noexcept;
// Sections of watched arrays come without their stride.
Access access_of(const KeptItem& kept, bool has_rows) noexcept;

}  // namespace detail

// One item of a range, in the task that has it in its footprint.
class Item {
 public:
  Item(detail::Task* self, const detail::KeptRange& range, std::size_t index) noexcept
      : self_(self), kept_(range.first + index * range.step), index_(index), has_rows_(range.step != 1) {}

  Mode mode() const noexcept { return kept_->mode(); }
  // Of an object, a range, a section, a block or a tile; without what lies between the rows.
  std::size_t bytes() const noexcept;

  // The elements of an object, a range, a section of one row, a Block or a tile of an Array of one dimension.
  template <class T>
  std::span<T> span() const noexcept;
  // A section of a watched array, or a tile of an Array of two dimensions.
  template <class T>
  View2D<T> view() const noexcept;
  // A tile of an Array of three dimensions.
  template <class T>
  View3D<T> view3d() const noexcept;

 private:
  bool is_program() const noexcept { return kept_->storage() == Storage::program; }
  void* address() const noexcept {
    return is_program() ? const_cast<void*>(kept_->base) : detail::address_in(self_, kept_->block());
  }
  const detail::KeptRows& row_form() const noexcept { return *reinterpret_cast<const detail::KeptRows*>(kept_ + 1); }
  std::size_t rows() const noexcept { return has_rows_ && is_program() ? row_form().rows() : 1; }
  std::size_t stride_bytes() const noexcept;
  // A tile of so many dimensions whose elements are as large as T.
  template <class T, std::size_t Rank>
  bool has_elements(Storage storage) const noexcept {
    if (kept_->storage() != storage) return false;
    std::size_t expected = sizeof(T);
    for (const std::size_t extent : static_cast<const detail::Tile<Rank>*>(kept_->base)->extents) expected *= extent;
    return expected == bytes();
  }
  // A section whose rows hold whole elements of type T, and begin at some.
  template <class T>
  bool has_rows_of() const noexcept {
    return kept_->row_bytes() % sizeof(T) == 0 && (rows() <= 1 || stride_bytes() % sizeof(T) == 0);
  }
  template <class T>
  void check(bool has_this_form, const char* type) const noexcept {
    const bool fits = has_this_form && (std::is_const_v<T> || writes(mode()));
    if (!fits || bytes() % sizeof(T) != 0) [[unlikely]]
      detail::wrong_view(detail::access_of(*kept_, has_rows_), index_, {type, sizeof(T), !std::is_const_v<T>});
  }

  detail::Task* self_;
  const detail::KeptItem* kept_;
  std::size_t index_;
  bool has_rows_;
};

// The items of one range, in its order.
class Items {
 public:
  Items(detail::Task* self, const detail::KeptRange& kept) noexcept : self_(self), kept_(kept) {}

  std::size_t size() const noexcept { return kept_.count; }
  bool empty() const noexcept { return kept_.count == 0; }
  // index < size(); beyond that the process ends with a message.
  Item operator[](std::size_t index) const noexcept {
    if (index >= kept_.count) [[unlikely]]
      detail::no_such_item(index, kept_.count);
    return {self_, kept_, index};
  }

 private:
  detail::Task* self_;
  detail::KeptRange kept_;
};

// ---- Implementation ----

inline std::size_t Item::bytes() const noexcept {
  return is_program() ? rows() * kept_->row_bytes() : kept_->block()->bytes;
}

inline std::size_t Item::stride_bytes() const noexcept {
  if (!has_rows_) return kept_->row_bytes();
  const detail::KeptRows& form = row_form();
  return form.watched() ? static_cast<const Partition*>(form.partition_or_stride)->whole.stride_bytes
                        : reinterpret_cast<std::uintptr_t>(form.partition_or_stride);
}

template <class T>
std::span<T> Item::span() const noexcept {
  check<T>(is_program() ? rows() == 1 : kept_->storage() <= Storage::tile_1d, "std::span");
  return {static_cast<T*>(address()), bytes() / sizeof(T)};
}

template <class T>
View2D<T> Item::view() const noexcept {
  check<T>(is_program() ? has_rows_of<T>() : has_elements<T, 2>(Storage::tile_2d), "weir::View2D");
  if (is_program())
    return {static_cast<T*>(address()), rows(), kept_->row_bytes() / sizeof(T), stride_bytes() / sizeof(T)};
  return detail::view_of<T>(*static_cast<const detail::Tile<2>*>(kept_->base), address());
}

}  // namespace weir
