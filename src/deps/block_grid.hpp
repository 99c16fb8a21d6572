// SPDX-License-Identifier: Apache-2.0

// The geometry of a watched array: which bytes are its own, and which block each byte is in. A value, no state.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "deps/record.hpp"
#include "weir/footprint.hpp"

namespace weir::deps {

// Division by a number known in advance, for numerators below 2^62: a multiplication and a shift.
//
// With f = floor(log2 d), m = ceil(2^(63 + f) / d) and e = m d - 2^(63 + f) < d: n m / 2^(63 + f) is n / d plus
// (n e / 2^(63 + f)) / d, and that is too little to reach the next integer, since n e < 2^62 2^(f + 1).
class Divider {
 public:
  explicit Divider(std::uint64_t divisor) noexcept  // 1 <= divisor < 2^62
      : shift_(static_cast<int>(std::bit_width(divisor)) - 1),
        multiplier_(static_cast<std::uint64_t>(((Wide{1} << (63 + shift_)) + divisor - 1) / divisor)) {}

  std::uint64_t operator()(std::uint64_t numerator) const noexcept {
    return static_cast<std::uint64_t>((Wide{numerator + numerator} * multiplier_) >> 64) >> shift_;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  int shift_;
  std::uint64_t multiplier_;
};

class BlockGrid {
 public:
  // A rectangle of the array: rows, and bytes within each row. Not empty.
  struct Rectangle {
    std::uint64_t row, rows, column, columns;
  };

  explicit BlockGrid(const Partition& partition) noexcept;  // of at least one byte

  std::uintptr_t start() const noexcept { return start_; }
  std::uintptr_t end() const noexcept { return start_ + span_; }
  std::uint64_t block_count() const noexcept { return block_count_; }

  // The rectangle that a section of the array is. False when it is empty or not within the array.
  bool locate(const Region& section, Rectangle& r) const noexcept {
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(section.base) - start_;
    if (offset >= span_) return false;
    const std::uint64_t row = by_stride_(offset);
    r = {row, section.rows, offset - row * stride_, section.row_bytes};
    WEIR_ASSERT(r.rows <= 1 || section.stride_bytes == stride_, "a section has the stride of its watched array");
    return r.rows - 1 < rows_ - row && r.columns != 0 && r.columns <= row_bytes_ && r.column <= row_bytes_ - r.columns;
  }

  // The blocks that a rectangle touches: themselves a rectangle, of block indices.
  struct Blocks {
    std::uint64_t first;                  // index of the first one
    std::uint64_t last_row, last_column;  // counted from the first one: 0 and 0 for a single block
  };
  Blocks blocks(const Rectangle& r) const noexcept {
    const std::uint64_t row = by_block_rows_(r.row);
    const std::uint64_t column = by_block_bytes_(r.column);
    return {row * block_columns_ + column, by_block_rows_(r.row + r.rows - 1) - row,
            by_block_bytes_(r.column + r.columns - 1) - column};
  }

  // Calls f(index) for each.
  template <class F>
  void for_each_block(const Blocks& blocks, F f) const {
    for (std::uint64_t row = 0; row <= blocks.last_row; ++row)
      for (std::uint64_t column = 0; column <= blocks.last_column; ++column)
        f(blocks.first + row * block_columns_ + column);
  }

  // The contiguous ranges that the rectangle consists of, one per row, or one in all where rows follow without a gap.
  template <class F>
  void for_each_run(const Rectangle& r, F f) const {
    const std::uintptr_t first = start_ + r.row * stride_ + r.column;
    if (r.columns == stride_) return f(ByteRange{first, first + r.rows * stride_});
    for (std::uint64_t i = 0; i < r.rows; ++i) f(ByteRange{first + i * stride_, first + i * stride_ + r.columns});
  }

  // Calls f(rectangle) for up to three rectangles that are the array's bytes within `range`.
  template <class F>
  void for_each_rectangle(ByteRange range, F f) const;

  // The first contiguous run of the array's bytes that ends after `address`; empty when there is none.
  ByteRange run_after(std::uintptr_t address) const noexcept;
  bool overlaps(ByteRange range) const noexcept {
    const ByteRange run = run_after(range.start);
    return run.start != run.end && run.start < range.end;
  }
  // Appends what of `range` is not the array's.
  void subtract_from(ByteRange range, std::vector<ByteRange>& rest) const;
  // False only when no byte can be in both. Exact but for arrays of different strides.
  bool may_overlap(const BlockGrid& other) const noexcept;

 private:
  std::uintptr_t start_;
  std::uint64_t row_bytes_, rows_, stride_;  // stride_ == row_bytes_ when there is one row
  std::uint64_t span_;                       // from the first byte to behind the last one
  std::uint64_t block_columns_, block_count_;
  Divider by_stride_, by_block_rows_, by_block_bytes_;
};

// For people: the bounds of a section that is not within its array, and those of the array.
std::string outside_text(const Access& section);

template <class F>
void BlockGrid::for_each_rectangle(ByteRange range, F f) const {
  if (range.end <= start() || range.start >= end()) return;
  const std::uint64_t first = range.start > start_ ? range.start - start_ : 0;
  const std::uint64_t last = (range.end < end() ? range.end - start_ : span_) - 1;
  const std::uint64_t first_row = by_stride_(first), first_column = first - first_row * stride_;
  const std::uint64_t last_row = by_stride_(last), last_column = last - last_row * stride_;
  const std::uint64_t last_columns = last_column < row_bytes_ ? last_column + 1 : row_bytes_;
  if (first_row == last_row) {
    if (first_column < last_columns) f(Rectangle{first_row, 1, first_column, last_columns - first_column});
    return;
  }
  if (first_column < row_bytes_) f(Rectangle{first_row, 1, first_column, row_bytes_ - first_column});
  if (last_row - first_row > 1) f(Rectangle{first_row + 1, last_row - first_row - 1, 0, row_bytes_});
  f(Rectangle{last_row, 1, 0, last_columns});
}

}  // namespace weir::deps
