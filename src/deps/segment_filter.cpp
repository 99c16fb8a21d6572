// SPDX-License-Identifier: Apache-2.0

#include "deps/segment_filter.hpp"

#include <cstring>

namespace weir::deps {

void SegmentFilter::clear(std::size_t segments, std::uintptr_t start, std::uintptr_t end) {
  const std::uint64_t levels = levels_ | std::uint64_t{1} << level_of(start, end);
  const auto most_added = 2 * static_cast<std::size_t>(std::popcount(levels));
  // Each segment may take as many slots. Half of them are to be free then, of which half can be taken by new ones.
  const std::size_t least = std::bit_ceil(2 * most_added * (segments + 2));
  if (room_ < least || room_ > 8 * least) {
    slots_ = std::make_unique_for_overwrite<Slot[]>(least);
    room_ = least;
    shift_ = 64 - std::countr_zero(least);
  }
  levels_ = levels;
  limit_ = room_ / 2 - most_added;
  count_ = 0;
  std::memset(static_cast<void*>(slots_.get()), 0xff, room_ * sizeof(Slot));  // all bits set: an empty slot
}

void SegmentFilter::release() noexcept {
  slots_.reset();
  room_ = 0;
  count_ = limit_ = 0;
  levels_ = 0;
}

}  // namespace weir::deps
