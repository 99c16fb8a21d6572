// SPDX-License-Identifier: Apache-2.0

// FileRanges: where blocks lie in a file that may hold so many bytes, however they come and go.
//
// Offsets below the budget are given out by best fit. When free room there is in pieces, a block can have a place
// beyond the budget instead: a slot of a power of two, among as many of its class as can ever be taken at the same
// time. So whatever fits the budget has a place; the file gets longer than its budget, and has as much on the disk only
// if what is free is punched out of it. Books only; not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "memory/range_allocator.hpp"

namespace weir::memory {

class FileRanges {
 public:
  // `budget` is a multiple of `granule`, a power of two.
  FileRanges(std::uint64_t budget, std::uint64_t granule);

  // `bytes`, at least one, rounded up to granules, below the budget; none when no hole there has room, or
  // more would be taken than that.
  std::optional<Range> allocate(std::uint64_t bytes);
  // The same beyond the budget; none when more would be taken than that, and for one granule, which there is a hole for
  // below it then.
  std::optional<Range> allocate_beyond(std::uint64_t bytes);
  // What one of these gave. False: it did not, or it is free already.
  bool free(Range range);

  bool has_room(std::uint64_t bytes) const noexcept {
    return bytes <= budget_ && RangeAllocator::rounded(bytes, below_.granule()) <= budget_ - used_;
  }
  std::uint64_t budget() const noexcept { return budget_; }
  std::uint64_t used() const noexcept { return used_; }
  std::uint64_t peak() const noexcept { return peak_; }
  std::uint64_t largest_hole() const noexcept { return below_.largest_hole(); }  // below the budget
  std::vector<Range> holes() const { return below_.holes(); }                    // likewise

 private:
  struct Class {  // blocks of more than half of a slot
    std::uint64_t begin, slot;
    RangeAllocator slots;
  };

  std::optional<Range> count(Range range) noexcept;
  Class* class_of(std::uint64_t bytes);
  Class* class_at(std::uint64_t offset) noexcept;

  const std::uint64_t budget_;
  RangeAllocator below_;
  std::vector<Class> beyond_;  // by `begin`: in the order in which they were wanted
  std::uint64_t end_;          // of these
  std::uint64_t used_ = 0, peak_ = 0;
};

}  // namespace weir::memory
