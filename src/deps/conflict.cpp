// SPDX-License-Identifier: Apache-2.0

#include "deps/conflict.hpp"

#include <algorithm>

#include "deps/record.hpp"

namespace weir::deps {

namespace {

bool asks_for(Between what, Mode a, Mode b) noexcept {
  const bool commute = a == Mode::commutative && b == Mode::commutative;
  if (what == Between::exclusion) return commute;
  return kind_of(a) != kind_of(b) || kind_of(a) == Kind::exclusive;
}

std::uintptr_t address_of(const void* at) noexcept { return reinterpret_cast<std::uintptr_t>(at); }

// Whether a byte of [start, end) is in `region`.
bool holds_some_of(const Region& region, std::uintptr_t start, std::uintptr_t end) noexcept {
  const std::uintptr_t base = address_of(region.base);
  if (end <= base) return false;
  if (region.rows == 1) return start < base + region.row_bytes;
  const std::size_t row = start <= base ? 0 : (start - base) / region.stride_bytes;
  if (row >= region.rows) return false;
  const std::uintptr_t at = base + row * region.stride_bytes;
  return start < at + region.row_bytes || (row + 1 < region.rows && end > at + region.stride_bytes);
}

bool overlap(const Region& a, const Region& b) noexcept {
  if (a.row_bytes == 0 || b.row_bytes == 0 || b.rows == 0) return false;
  if (a.rows > b.rows) return overlap(b, a);
  for (std::size_t row = 0; row < a.rows; ++row) {
    const std::uintptr_t start = address_of(a.base) + row * a.stride_bytes;
    if (holds_some_of(b, start, start + a.row_bytes)) return true;
  }
  return false;
}

// The blocks of the array that a section of it touches.
Region blocks_of(const Region& section, const Partition& array) noexcept {
  const Region& whole = array.whole;
  if (section.row_bytes == 0 || section.rows == 0) return section;
  const std::size_t stride = whole.rows > 1 ? whole.stride_bytes : whole.row_bytes;
  const std::size_t offset = address_of(section.base) - address_of(whole.base);
  const std::size_t row = offset / stride, column = offset % stride;
  const std::size_t first_row = row / array.block_rows * array.block_rows;
  const std::size_t first_column = column / array.block_row_bytes * array.block_row_bytes;
  const auto up = [](std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; };
  const std::size_t last_row = std::min(up(row + section.rows, array.block_rows), whole.rows);
  const std::size_t last_column = std::min(up(column + section.row_bytes, array.block_row_bytes), whole.row_bytes);
  return {static_cast<const std::byte*>(whole.base) + first_row * stride + first_column, last_column - first_column,
          last_row - first_row, stride};
}

enum class Shared { nothing, unknown, a_block, bytes };

Shared shared(const Access& earlier, const Access& later) noexcept {
  const Partition* const array = later.partition;
  Region mine = later.region, theirs = earlier.region;
  if (array != nullptr) mine.stride_bytes = array->whole.stride_bytes;
  if (array != nullptr && earlier.partition == array) {
    theirs.stride_bytes = mine.stride_bytes;
    if (overlap(theirs, mine)) return Shared::bytes;
    return overlap(blocks_of(theirs, *array), blocks_of(mine, *array)) ? Shared::a_block : Shared::nothing;
  }
  if (earlier.partition != nullptr && theirs.rows > 1) return Shared::unknown;
  if (overlap(theirs, mine)) return Shared::bytes;
  if (array != nullptr && overlap(theirs, blocks_of(mine, *array))) return Shared::a_block;
  return earlier.partition != nullptr ? Shared::unknown : Shared::nothing;
}

}  // namespace

Conflict find_conflict(std::span<const Access> earlier, std::span<const Access> later, Between what) {
  Conflict result;
  for (std::size_t l = 0; l < later.size(); ++l) {
    for (std::size_t e = 0; e < earlier.size(); ++e) {
      if (!asks_for(what, earlier[e].mode, later[l].mode)) continue;
      const Shared found = shared(earlier[e], later[l]);
      result.sure &= found != Shared::unknown;
      if (found != Shared::a_block && found != Shared::bytes) continue;
      if (result.found) {
        ++result.more;
      } else {
        result.found = true;
        result.earlier = e;
        result.later = l;
        result.only_a_block = found == Shared::a_block;
      }
      break;
    }
  }
  return result;
}

const char* name_of(Mode mode) noexcept {
  constexpr const char* kNames[] = {"in", "out", "inout", "concurrent", "commutative", "reduce"};
  return kNames[static_cast<std::size_t>(mode)];
}

}  // namespace weir::deps
