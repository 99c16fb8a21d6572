// SPDX-License-Identifier: Apache-2.0

#include "data/extents.hpp"

#include <algorithm>
#include <iterator>

#include "base/check.hpp"

namespace weir::data {

Extents::Extents(std::uint64_t capacity) {
  WEIR_CHECK(capacity % kGranule == 0, "the capacity is a multiple of the granule");
  if (capacity > 0) add_hole({0, capacity});
}

std::optional<Extent> Extents::reserve(std::uint64_t bytes) {
  WEIR_CHECK(bytes > 0 && bytes % kGranule == 0, "an extent is a multiple of the granule");
  const auto best = by_size_.lower_bound({bytes, 0});  // among equals the lowest offset: the file grows late
  if (best == by_size_.end()) return std::nullopt;
  const Extent hole{best->second, best->first};
  remove_hole(hole);
  if (hole.bytes > bytes) add_hole({hole.offset + bytes, hole.bytes - bytes});
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  return Extent{hole.offset, bytes};
}

void Extents::release(Extent extent) {
  WEIR_CHECK(extent.bytes <= used_, "an extent is released once");
  used_ -= extent.bytes;
  const auto after = by_offset_.lower_bound(extent.offset);
  WEIR_CHECK(after == by_offset_.end() || after->first >= extent.offset + extent.bytes, "an extent is released once");
  Extent hole = extent;
  if (after != by_offset_.begin()) {
    const Extent before{std::prev(after)->first, std::prev(after)->second};
    WEIR_CHECK(before.offset + before.bytes <= extent.offset, "an extent is released once");
    if (before.offset + before.bytes == extent.offset) {
      remove_hole(before);
      hole = {before.offset, before.bytes + extent.bytes};
    }
  }
  const auto next = by_offset_.find(extent.offset + extent.bytes);
  if (next != by_offset_.end()) {
    hole.bytes += next->second;
    remove_hole({next->first, next->second});
  }
  add_hole(hole);
}

std::uint64_t Extents::largest_hole() const noexcept { return by_size_.empty() ? 0 : by_size_.rbegin()->first; }

void Extents::add_hole(Extent hole) {
  by_offset_.emplace(hole.offset, hole.bytes);
  by_size_.emplace(hole.bytes, hole.offset);
}

void Extents::remove_hole(Extent hole) {
  by_offset_.erase(hole.offset);
  by_size_.erase({hole.bytes, hole.offset});
}

}  // namespace weir::data
