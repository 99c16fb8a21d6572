// SPDX-License-Identifier: Apache-2.0

#include "deps/block_grid.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace weir::deps {

namespace {

constexpr std::uint64_t divided_up(std::uint64_t n, std::uint64_t d) noexcept { return (n + d - 1) / d; }
std::uint64_t stride_of(const Region& whole) noexcept { return whole.rows > 1 ? whole.stride_bytes : whole.row_bytes; }
std::uint64_t span_of(const Region& whole) noexcept { return (whole.rows - 1) * stride_of(whole) + whole.row_bytes; }

}  // namespace

BlockGrid::BlockGrid(const Partition& partition) noexcept
    : start_(reinterpret_cast<std::uintptr_t>(partition.whole.base)),
      row_bytes_(partition.whole.row_bytes),
      rows_(partition.whole.rows),
      stride_(stride_of(partition.whole)),
      span_(span_of(partition.whole)),
      block_columns_(divided_up(row_bytes_, partition.block_row_bytes)),
      block_count_(block_columns_ * divided_up(rows_, partition.block_rows)),
      by_stride_(stride_),
      by_block_rows_(partition.block_rows),
      by_block_bytes_(partition.block_row_bytes) {}

ByteRange BlockGrid::run_after(std::uintptr_t address) const noexcept {
  if (stride_ == row_bytes_) return address < end() ? ByteRange{start(), end()} : ByteRange{};
  std::uint64_t row = address <= start_ ? 0 : (address - start_) / stride_;
  if (address >= start_ + row * stride_ + row_bytes_) ++row;
  if (row >= rows_) return {};
  return {start_ + row * stride_, start_ + row * stride_ + row_bytes_};
}

void BlockGrid::subtract_from(ByteRange range, std::vector<ByteRange>& rest) const {
  while (range.start < range.end) {
    const ByteRange run = run_after(range.start);
    if (run.start == run.end || run.start >= range.end) {
      rest.push_back(range);
      return;
    }
    if (run.start > range.start) rest.push_back({range.start, run.start});
    range.start = run.end;
  }
}

bool BlockGrid::may_overlap(const BlockGrid& other) const noexcept {
  if (start() >= other.end() || other.start() >= end()) return false;
  if (start() > other.start()) return other.may_overlap(*this);
  if (stride_ != other.stride_) return true;
  const std::uint64_t shift = (other.start_ - start_) % stride_;  // of the other's columns against ours
  return shift < row_bytes_ || shift + other.row_bytes_ > stride_;
}

std::string outside_text(const Access& section) {
  const Region& whole = section.partition->whole;
  const Region& region = section.region;
  const auto stride = static_cast<std::ptrdiff_t>(std::max<std::uint64_t>(stride_of(whole), 1));
  const auto offset = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(region.base) -
                                                  reinterpret_cast<std::uintptr_t>(whole.base));
  const std::ptrdiff_t row = offset / stride - (offset % stride < 0 ? 1 : 0), column = offset - row * stride;
  char text[256];
  if (whole.rows <= 1) {
    std::snprintf(text, sizeof text, "%zu bytes from byte %td on of a watched array that has %zu bytes",
                  region.row_bytes, offset, whole.row_bytes);
  } else {
    std::snprintf(text, sizeof text,
                  "%zu rows from row %td on, and of each %zu bytes from byte %td on, of a watched array that has %zu "
                  "rows of %zu bytes",
                  region.rows, row, region.row_bytes, column, whole.rows, whole.row_bytes);
  }
  return text;
}

}  // namespace weir::deps
