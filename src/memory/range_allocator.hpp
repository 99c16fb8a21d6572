// SPDX-License-Identifier: Apache-2.0

// Ranges of a space of offsets, given out by best fit; neighbours are joined when they become free.
//
// Its tables lie outside of the space and never touch it, so the space may be a file, memory of another process or
// memory of a device. Deterministic: equal calls give equal offsets, on which symmetric heaps rely. Each owner keeps
// its own; not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace weir::memory {

// The bytes from `offset` on; both are multiples of the granule, but for the last range of a space that ends inside
// one.
struct Range {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const Range&, const Range&) = default;
};

class RangeAllocator {
 public:
  // `granule` is a power of two.
  RangeAllocator(std::uint64_t bytes, std::uint64_t granule);

  // `bytes`, at least one, rounded up to granules; from the smallest hole that has them, and of equal ones the first.
  // The offset, with what lies `before` the space, is a multiple of `alignment`, a power of two or whole granules.
  // None when no hole has room. O(log ranges); beyond the granule's alignment, also the holes that are large enough but
  // do not lie so.
  std::optional<Range> allocate(std::uint64_t bytes, std::uint64_t alignment = 1, std::uint64_t before = 0);

  // The range that is taken and has the offset; none: nothing there is. O(log ranges).
  std::optional<Range> find(std::uint64_t offset) const;

  // The range that begins at `offset`, which is free from then on; none when allocate() gave no such range, or it is
  // free already. O(log ranges).
  std::optional<Range> free(std::uint64_t offset);

  // A range that taken() of another one of that size has given. False: it is not free here, and nothing was done.
  [[nodiscard]] bool take(Range range);

  std::uint64_t bytes() const noexcept { return bytes_; }
  std::uint64_t granule() const noexcept { return granule_; }
  // Bytes of the ranges that are taken: now, and at most so far.
  std::uint64_t used() const noexcept { return used_; }
  std::uint64_t peak() const noexcept { return peak_; }
  std::uint64_t largest_hole() const noexcept { return holes_.empty() ? 0 : holes_.rbegin()->first; }
  // What is free, by offset. O(ranges).
  std::vector<Range> holes() const;
  // What is taken, by offset. O(ranges).
  std::vector<Range> taken() const;
  // From this offset on nothing was ever given out.
  std::uint64_t untouched_from() const noexcept { return untouched_from_; }

  // No overflow for up to 2^63 bytes.
  static constexpr std::uint64_t rounded(std::uint64_t bytes, std::uint64_t granule) noexcept {
    return (bytes + granule - 1) / granule * granule;
  }

 private:
  struct Part {  // of the space: a hole or a range that is taken
    std::uint64_t bytes;
    bool taken;
  };
  using Parts = std::map<std::uint64_t, Part>;  // by offset, without a gap

  std::optional<std::uint64_t> place_in(Range hole, std::uint64_t bytes, std::uint64_t alignment,
                                        std::uint64_t before) const noexcept;
  void take(Parts::iterator hole, Range range);
  void add_hole(std::uint64_t offset, std::uint64_t bytes);

  std::uint64_t bytes_, granule_;
  Parts parts_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> holes_;  // (bytes, offset)
  std::uint64_t used_ = 0, peak_ = 0, untouched_from_ = 0;
};

}  // namespace weir::memory
