// SPDX-License-Identifier: Apache-2.0

#include "memory/range_allocator.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/check.hpp"

namespace weir::memory {

RangeAllocator::RangeAllocator(std::uint64_t bytes, std::uint64_t granule) : bytes_(bytes), granule_(granule) {
  WEIR_CHECK(std::has_single_bit(granule), "a granule is a power of two");
  if (bytes > 0) add_hole(0, bytes);
}

std::optional<Range> RangeAllocator::allocate(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t before) {
  if (bytes > bytes_) return std::nullopt;
  bytes = std::max<std::uint64_t>(bytes, 1);
  // Only the last hole is no multiple of the granule: any hole with `bytes` has them rounded up, or ends the space.
  for (auto hole = holes_.lower_bound({bytes, 0}); hole != holes_.end(); ++hole) {
    const auto [hole_bytes, hole_offset] = *hole;
    const auto offset = place_in({hole_offset, hole_bytes}, bytes, alignment, before);
    if (!offset) continue;
    const Range range{*offset, std::min(rounded(bytes, granule_), hole_offset + hole_bytes - *offset)};
    holes_.erase(hole);
    take(parts_.find(hole_offset), range);
    return range;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> RangeAllocator::place_in(Range hole, std::uint64_t bytes, std::uint64_t alignment,
                                                      std::uint64_t before) const noexcept {
  const std::uint64_t skipped =
      alignment <= granule_ ? 0 : (alignment - (hole.offset + before) % alignment) % alignment;
  if (skipped > hole.bytes || hole.bytes - skipped < bytes) return std::nullopt;
  return hole.offset + skipped;
}

std::optional<Range> RangeAllocator::find(std::uint64_t offset) const {
  auto part = parts_.upper_bound(offset);
  if (part == parts_.begin()) return std::nullopt;
  --part;
  if (!part->second.taken || offset - part->first >= part->second.bytes) return std::nullopt;
  return Range{part->first, part->second.bytes};
}

// `hole` is in `holes_` no longer.
void RangeAllocator::take(Parts::iterator hole, Range range) {
  const std::uint64_t begin = hole->first, end = begin + hole->second.bytes;
  parts_.erase(hole);
  if (range.offset > begin) add_hole(begin, range.offset - begin);
  parts_.emplace(range.offset, Part{range.bytes, true});
  if (const std::uint64_t after = range.offset + range.bytes; after < end) add_hole(after, end - after);
  used_ += range.bytes;
  peak_ = std::max(peak_, used_);
  untouched_from_ = std::max(untouched_from_, range.offset + range.bytes);
}

std::optional<Range> RangeAllocator::free(std::uint64_t offset) {
  auto part = parts_.find(offset);
  if (part == parts_.end() || !part->second.taken) return std::nullopt;
  const Range range{offset, part->second.bytes};
  used_ -= range.bytes;
  std::uint64_t begin = offset, end = offset + range.bytes;
  auto first = part, last = std::next(part);
  if (last != parts_.end() && !last->second.taken) {
    end = last->first + last->second.bytes;
    holes_.erase({last->second.bytes, last->first});
    ++last;
  }
  if (first != parts_.begin() && !std::prev(first)->second.taken) {
    --first;
    begin = first->first;
    holes_.erase({first->second.bytes, begin});
  }
  parts_.erase(first, last);
  add_hole(begin, end - begin);
  return range;
}

bool RangeAllocator::take(Range range) {
  auto hole = parts_.upper_bound(range.offset);
  if (hole == parts_.begin()) return false;
  --hole;
  const std::uint64_t skipped = range.offset - hole->first;
  const bool fits = !hole->second.taken && range.bytes != 0 && skipped < hole->second.bytes &&
                    range.bytes <= hole->second.bytes - skipped;
  if (!fits) return false;
  holes_.erase({hole->second.bytes, hole->first});
  take(hole, range);
  return true;
}

std::vector<Range> RangeAllocator::taken() const {
  std::vector<Range> all;
  for (const auto& [offset, part] : parts_)
    if (part.taken) all.push_back({offset, part.bytes});
  return all;
}

std::vector<Range> RangeAllocator::holes() const {
  std::vector<Range> all;
  all.reserve(holes_.size());
  for (const auto& [offset, part] : parts_)
    if (!part.taken) all.push_back({offset, part.bytes});
  return all;
}

void RangeAllocator::add_hole(std::uint64_t offset, std::uint64_t bytes) {
  parts_.emplace(offset, Part{bytes, false});
  holes_.emplace(bytes, offset);
}

}  // namespace weir::memory
