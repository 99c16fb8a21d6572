// SPDX-License-Identifier: Apache-2.0

#include "data/adopted.hpp"

#include <algorithm>

namespace weir::data {

namespace {

using detail::BlockLayout;

std::uintptr_t address_of(const void* at) noexcept { return reinterpret_cast<std::uintptr_t>(at); }

// From the first byte to behind the last.
std::size_t span_of(const BlockLayout& layout) noexcept {
  return (layout.counts[0] - 1) * layout.strides[0] + (layout.counts[1] - 1) * layout.strides[1] + layout.run_bytes;
}

// A plane: `rows` runs of `bytes`.
struct Rows {
  std::uintptr_t begin;
  std::size_t bytes, rows, stride;

  std::uintptr_t end() const noexcept { return begin + (rows - 1) * stride + bytes; }
};

bool holds_some_of(const Rows& rows, std::uintptr_t begin, std::uintptr_t end) noexcept {
  if (end <= rows.begin || begin >= rows.end()) return false;
  if (rows.rows == 1) return true;
  const std::size_t row = begin <= rows.begin ? 0 : (begin - rows.begin) / rows.stride;
  const std::uintptr_t at = rows.begin + row * rows.stride;
  return begin < at + rows.bytes || (row + 1 < rows.rows && end > at + rows.stride);
}

// With the same stride, as tiles of one array have it, the columns tell.
bool overlap(const Rows& a, const Rows& b) noexcept {
  if (a.begin > b.begin) return overlap(b, a);
  if (b.begin >= a.end()) return false;
  if (a.rows > 1 && b.rows > 1 && a.stride == b.stride) {
    const std::size_t row = (b.begin - a.begin) / a.stride, column = (b.begin - a.begin) % a.stride;
    return column < a.bytes || (column + b.bytes > a.stride && row + 1 < a.rows);
  }
  const Rows& few = a.rows <= b.rows ? a : b;
  const Rows& many = a.rows <= b.rows ? b : a;
  for (std::size_t row = 0; row < few.rows; ++row) {
    const std::uintptr_t at = few.begin + row * few.stride;
    if (holds_some_of(many, at, at + few.bytes)) return true;
  }
  return false;
}

Rows plane(const BlockLayout& layout, std::uintptr_t begin, std::size_t index) noexcept {
  return {begin + index * layout.strides[0], layout.run_bytes, layout.counts[1], layout.strides[1]};
}

}  // namespace

bool overlap(const BlockLayout& a, const void* a_begin, const BlockLayout& b, const void* b_begin) noexcept {
  for (std::size_t i = 0; i < a.counts[0]; ++i) {
    const Rows mine = plane(a, address_of(a_begin), i);
    for (std::size_t k = 0; k < b.counts[0]; ++k)
      if (overlap(mine, plane(b, address_of(b_begin), k))) return true;
  }
  return false;
}

const Block* Adopted::find(const Block& block) const noexcept {
  const void* const at = block.program;
  const std::uintptr_t begin = address_of(at), end = begin + span_of(block.layout);
  const auto first = by_begin_.lower_bound(begin - std::min<std::uintptr_t>(begin, longest_));
  for (auto known = first; known != by_begin_.end() && known->first < end; ++known) {
    const Known& other = known->second;
    if (overlap(block.layout, at, other.block->layout, other.begin)) return other.block;
  }
  return nullptr;
}

void Adopted::add(const Block& block) {
  by_begin_.emplace(address_of(block.program), Known{&block, block.program});
  longest_ = std::max(longest_, span_of(block.layout));
}

void Adopted::remove(const Block& block) noexcept {
  const auto [first, last] = by_begin_.equal_range(address_of(block.program));
  const auto found = std::find_if(first, last, [&](const auto& entry) { return entry.second.block == &block; });
  if (found != last) by_begin_.erase(found);
}

}  // namespace weir::data
