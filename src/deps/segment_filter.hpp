// SPDX-License-Identifier: Apache-2.0

// Says of memory that surely no byte of it is in a segment yet, so that a new segment needs no place in their order.
//
// Memory is cut in granules of 64 units, which have a bit each: units of 8 bytes for ranges up to 512 bytes, and 64
// times larger ones at each level above. A range marks the units that it touches at the level of its length, where
// those are two granules at most, and at all coarser ones that are in use; so it meets at its own level whatever is
// finer, and at the coarser ones the rest. Bits are never taken back one by one: what was removed is forgotten by
// clear(). Owned by a SegmentIndex, on its map's thread.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>

#include "deps/record.hpp"

namespace weir::deps {

class SegmentFilter {
 public:
  // Numbers instead of a ByteRange, which compilers pass by way of memory. The range is not empty.
  //
  // False: clear() it, and mark() all segments that there are, before the next add() or mark().
  bool is_ready_for(std::uintptr_t start, std::uintptr_t end) const noexcept {
    return count_ < limit_ && (levels_ >> level_of(start, end) & 1) != 0;
  }
  // From now on it is in segments. True when surely no byte of it was before.
  bool add(std::uintptr_t start, std::uintptr_t end) noexcept {
    if (levels_ == 1) [[likely]]  // so its own is that, too
      return mark(start, end, 0);
    const unsigned level = level_of(start, end);
    bool is_new = mark(start, end, level);
    for (std::uint64_t coarser = levels_ >> level >> 1; coarser != 0; coarser &= coarser - 1)
      is_new &= mark(start, end, level + 1 + static_cast<unsigned>(std::countr_zero(coarser)));
    return is_new;
  }
  // Empties it, with room for `segments`; then the level of the range is in use, with all that were.
  void clear(std::size_t segments, std::uintptr_t start, std::uintptr_t end);
  // Fewer segments are left: it is not ready before clear().
  void forget_segments() noexcept { limit_ = 0; }
  void release() noexcept;
  std::size_t system_bytes() const noexcept { return room_ * sizeof(Slot); }

 private:
  struct Slot {
    std::uint64_t key;  // granule and level
    std::uint64_t units;
  };
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  static constexpr unsigned kUnitBits = 3, kLevelBits = 6;  // eleven levels are all memory

  static unsigned level_of(std::uintptr_t start, std::uintptr_t end) noexcept {
    const std::uint64_t last = end - start - 1;
    const auto bits = static_cast<unsigned>(std::bit_width(last | 1));
    if (bits <= kUnitBits + kLevelBits) [[likely]]
      return 0;
    return (bits - kUnitBits - 1) / kLevelBits;
  }
  // Whether none of its units was marked.
  [[gnu::always_inline]] bool mark(std::uintptr_t start, std::uintptr_t end, unsigned level) noexcept {
    const unsigned shift = kUnitBits + level * kLevelBits;
    const std::uint64_t first = start >> shift, last = (end - 1) >> shift;
    const std::uint64_t from = ~std::uint64_t{0} << (first % 64), to = ~std::uint64_t{0} >> (63 - last % 64);
    if (first / 64 == last / 64) [[likely]]
      return mark_units(first / 64, level, from & to);
    const bool lower = mark_units(first / 64, level, from);
    return mark_units(last / 64, level, to) && lower;
  }
  bool mark_units(std::uint64_t granule, unsigned level, std::uint64_t units) noexcept {
    const std::uint64_t key = granule << 4 | level;
    std::size_t i = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> shift_);
    while (slots_[i].key != key && slots_[i].key != kEmpty) i = (i + 1) & (room_ - 1);
    Slot& slot = slots_[i];
    if (slot.key == kEmpty) {
      slot = {key, units};
      ++count_;
      return true;
    }
    const bool is_new = (slot.units & units) == 0;
    slot.units |= units;
    return is_new;
  }

  std::unique_ptr<Slot[]> slots_;
  int shift_ = 63;
  std::size_t room_ = 0;  // slots, a power of two; at most half of them are in use
  std::size_t count_ = 0;
  std::size_t limit_ = 0;     // of count_: one range more still fits
  std::uint64_t levels_ = 0;  // in use
};

}  // namespace weir::deps
