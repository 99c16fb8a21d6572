// SPDX-License-Identifier: Apache-2.0

// Segments by start address: the look-up of an object or range that was named before, exactly so.
//
// Open addressing with linear probing, at most half full. Owned by a SegmentIndex, on its map's thread.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>

#include "deps/record.hpp"

namespace weir::deps {

// A piece of memory outside of watched arrays that is tracked as one. Segments of a map are disjoint.
struct Segment {
  Record record;
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
  bool hidden = false;  // not in the hash: bytes of it are tracked by a watched array now
};

class SegmentHash {
 public:
  SegmentHash() noexcept;

  // The segment that is exactly [start, end), or null. Budget: 10 instructions without collision.
  Segment* find(std::uintptr_t start, std::uintptr_t end) const noexcept {
    for (std::size_t i = home(start);; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.start == start) return slot.segment->end == end ? slot.segment : nullptr;
      if (slot.start == kEmpty) return nullptr;
    }
  }
  void insert(Segment* segment) {  // one with that start must not be there
    if (2 * (count_ + 1) > room_) [[unlikely]]
      grow();
    place(segment);
    ++count_;
  }
  void erase(const Segment* segment) noexcept;
  // Empties it, with room for `expected`; frees what is more than four times as large.
  void clear(std::size_t expected) noexcept;
  std::size_t system_bytes() const noexcept { return room_ * sizeof(Slot); }

 private:
  struct Slot {
    std::uintptr_t start;
    Segment* segment;
  };
  // No region starts at the last byte of the address space.
  static constexpr std::uintptr_t kEmpty = ~std::uintptr_t{0};
  static constexpr std::size_t kFirstCapacity = 16;
  static Slot none_[2];  // stands in for the table of an empty hash; never written

  std::size_t home(std::uintptr_t start) const noexcept {
    return static_cast<std::size_t>((start * 0x9E3779B97F4A7C15u) >> shift_);
  }
  void place(Segment* segment) noexcept {
    std::size_t i = home(segment->start);
    while (slots_[i].start != kEmpty) i = (i + 1) & mask_;
    slots_[i] = {segment->start, segment};
  }
  void use(std::unique_ptr<Slot[]> slots, std::size_t capacity) noexcept;
  void make_empty() noexcept;
  [[gnu::noinline]] void grow();

  Slot* slots_;
  std::size_t mask_ = 1;
  int shift_ = 63;
  std::size_t count_ = 0;
  std::size_t room_ = 0;  // slots of storage_
  std::unique_ptr<Slot[]> storage_;
};

}  // namespace weir::deps
