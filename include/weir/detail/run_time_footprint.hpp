// SPDX-License-Identifier: Apache-2.0

// Footprints of spawn() with ranges, of items or of handles: not for programs to use directly.
//
// All items are gathered in one row, as the library wants them; up to 16 without an allocation, and one range without
// other items not at all. The task keeps what it needs of a range's items behind its closure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "weir/items.hpp"
#include "weir/task.hpp"

namespace weir::detail {

// Throws weir::Error.
[[noreturn]] void throw_reduction_in_range();

// Room for so many, on the stack when they are few. Filled by add(), one behind the other.
template <class T, std::size_t kFew>
class Gathered {
 public:
  explicit Gathered(std::size_t count) : many_(count > kFew ? std::make_unique_for_overwrite<T[]>(count) : nullptr) {
    static_assert(std::is_trivially_destructible_v<T>);
    first_ = many_ != nullptr ? many_.get() : few;
  }
  void* room_for_next() noexcept { return first_ + size_++; }
  const T* first() const noexcept { return first_; }
  std::size_t size() const noexcept { return size_; }

 private:
  union {
    T few[kFew];
  };
  T* first_;
  std::size_t size_ = 0;
  std::unique_ptr<T[]> many_;
};

constexpr std::size_t kept_bytes(std::size_t count, bool with_rows) noexcept {
  return count * (sizeof(KeptItem) + (with_rows ? sizeof(KeptRows) : 0));
}

// One item of spawn(), or one range of them.
struct ItemSlice {
  const Access* first;
  std::size_t count;
  bool with_rows;   // some item of the range is a section
  bool has_blocks;  // some item is a block
  void* room;       // in the task's memory, or behind its large closure: for what it keeps of a range
  operator const Access&() const noexcept { return *first; }
};

// What a task keeps of a range, for as long as who explains what it waits for may look (docs/protocols/gates.md).
template <>
struct Argument<ItemRange> {
  KeptRange kept;

  explicit Argument(const ItemSlice& slice) noexcept
      : kept{static_cast<KeptItem*>(slice.room), static_cast<std::uint32_t>(slice.count),
             slice.with_rows ? std::uint8_t{2} : std::uint8_t{1}, slice.has_blocks} {
    slice.with_rows ? keep<true>(slice) : keep<false>(slice);
  }
  Items get(Task* self, std::uint32_t&) const noexcept { return {self, kept}; }
  void describe(KeptFootprint& to) const noexcept {
    for (std::size_t i = 0; i < kept.count; ++i) to.add(access_of(kept.first[i * kept.step], kept.step != 1));
  }

 private:
  template <bool kRows>
  static void keep(const ItemSlice& slice) noexcept {
    KeptItem* to = static_cast<KeptItem*>(slice.room);
    for (const Access *from = slice.first, *end = from + slice.count; from != end; ++from, to += kRows ? 2 : 1) {
      const void* const base = from->storage > Storage::block ? from->identity : from->region.base;
      ::new (static_cast<void*>(to)) KeptItem{base, KeptItem::pack(*from)};
      if constexpr (kRows) keep_rows(to + 1, *from);
    }
  }
  static void keep_rows(void* memory, const Access& from) noexcept {
    const bool watched = from.partition != nullptr;
    const void* const stride = reinterpret_cast<const void*>(from.region.stride_bytes);
    ::new (memory) KeptRows{watched ? from.partition : stride, from.region.rows << 1 | (watched ? 1 : 0)};
  }
};
static_assert(sizeof(Argument<ItemRange>) == sizeof(KeptRange));

// As Collected, where something is a range. `kItems` of spawn()'s arguments are items or ranges of them.
template <std::size_t kItems, bool kHasRanges>
class RunTimeFootprint {
 public:
  Attributes attributes;

  template <class... Arguments>
  WEIR_INLINE explicit RunTimeFootprint(const Arguments&... arguments)
      : items_(kOneRange ? 0 : (count_items(arguments) + ... + 0)), after_((count_after(arguments) + ... + 0)) {
    (add(arguments), ...);
    attributes.after = after_.first();
    attributes.after_count = static_cast<std::uint32_t>(after_.size());
  }

  // To be called once, before source() and invoke(). What does not fit in a task's memory lies with a large closure.
  TaskShape shape(std::size_t closure_bytes) noexcept {
    constexpr std::size_t kMost = kSlotBytes[kSlotSizes - 1] - kTaskHeaderBytes;
    const std::size_t used = (closure_bytes + kEdgeBytes - 1) / kEdgeBytes * kEdgeBytes + kept_;
    large_ = used + (kept_ != 0 ? kFewEdges * kEdgeBytes : 0) > kMost;
    const std::size_t accesses = footprint().size();
    return shape_of(rounded(closure_bytes) + kept_, large_ ? accesses : fitting(accesses, (kMost - used) / kEdgeBytes),
                    large_);
  }
  // Of what a closure of `closure_bytes` at `memory` makes its arguments.
  auto source(void* memory, std::size_t closure_bytes) const noexcept {
    if constexpr (kHasRanges) {
      return Source{this, static_cast<std::byte*>(memory) + rounded(closure_bytes)};
    } else {
      return items_.first();
    }
  }
  template <class C, class Invoke>
  InvokeFunction invoke() const noexcept {
    return large_ ? Invoke::template kFunction<true> : Invoke::template kFunction<false>;
  }
  std::span<const Access> footprint() const noexcept {
    if constexpr (kOneRange) {
      return range_;
    } else {
      return {items_.first(), items_.size()};
    }
  }
  bool has_blocks() const noexcept { return has_blocks_; }

 private:
  static constexpr bool kOneRange = kItems == 1 && kHasRanges;
  static constexpr std::size_t kFew = 16;
  static constexpr std::size_t kFewEdges = 8;  // rather in the task than many kept items

  struct Place {
    std::size_t first;
    std::size_t count;
    std::size_t kept_before;  // bytes of what is kept of ranges before this one
    bool with_rows;
    bool has_blocks;
  };
  struct Source {
    const RunTimeFootprint* footprint;
    std::byte* room;
    ItemSlice operator[](std::size_t index) const noexcept {
      const Place& place = footprint->places_[index];
      return {footprint->footprint().data() + place.first, place.count, place.with_rows, place.has_blocks,
              room + place.kept_before};
    }
  };

  static constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return (bytes + alignof(KeptItem) - 1) / alignof(KeptItem) * alignof(KeptItem);
  }
  // For shape_of(), which makes room for one edge more where accesses are few.
  static constexpr std::size_t fitting(std::size_t accesses, std::size_t most_edges) noexcept {
    if (accesses < most_edges) return accesses;
    return most_edges == 3 ? 2 : most_edges == 2 ? 1 : most_edges;
  }
  template <class T>
  static std::size_t count_items(const T& argument) noexcept {
    if constexpr (kIsItemRange<T>) {
      return std::span<const Access>(argument).size();
    } else {
      return kIsItem<T> ? 1 : 0;
    }
  }
  template <class T>
  static std::size_t count_after(const T& argument) noexcept {
    if constexpr (kIsAfterRange<T>) {
      return argument.handles.size();
    } else {
      return std::is_same_v<T, After> ? 1 : 0;
    }
  }

  void add(const Name& name) noexcept { attributes.name = name.text; }
  void add(const OnDomain& on) noexcept { attributes.domain = on.index; }
  void add(Priority priority) noexcept { attributes.priority = priority; }
  void add(Begin begin) noexcept { attributes.begin = begin; }
  void add(Nothing) noexcept {}
  void add(const After& a) noexcept { ::new (after_.room_for_next()) TaskRef(a.task); }
  template <class R>
  void add(const AfterRange<R>& range) noexcept {
    for (const Handle<R>& handle : range.handles) ::new (after_.room_for_next()) TaskRef(HandleAccess::ref(handle));
  }
  template <class Item>
  requires kIsItem<Item>
  void add(const Item& item) noexcept {
    places_[arguments_++] = {items_.size(), 1, kept_, false, false};
    copy_access(item.access, items_.room_for_next());
  }
  template <class Range>
  requires kIsItemRange<Range>
  void add(const Range& items) {
    const std::span<const Access> range(items);
    bool sections = false, blocks = false, reductions = false;
    for (const Access& access : range) {
      sections |= access.partition != nullptr || access.region.rows != 1;
      blocks |= access.is_block();
      reductions |= access.mode == Mode::reduce;
    }
    if (reductions) [[unlikely]]
      throw_reduction_in_range();
    places_[arguments_++] = {items_.size(), range.size(), kept_, sections, blocks};
    kept_ += kept_bytes(range.size(), sections);
    has_blocks_ |= blocks;
    if constexpr (kOneRange) {
      range_ = range;
    } else {
      for (const Access& access : range) copy_access(access, items_.room_for_next());
    }
  }

  Gathered<Access, kFew> items_;
  Gathered<TaskRef, kFew> after_;
  std::span<const Access> range_;  // when that is all
  Place places_[kItems == 0 ? 1 : kItems];
  std::size_t arguments_ = 0;
  std::size_t kept_ = 0;  // bytes of what is kept of all ranges
  bool has_blocks_ = false;
  bool large_ = false;
};

}  // namespace weir::detail
