// SPDX-License-Identifier: Apache-2.0

#include "memory/file_ranges.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

namespace weir::memory {
namespace {

// What the system has for offsets of files.
constexpr std::uint64_t kLastOffset = std::numeric_limits<std::int64_t>::max();

}  // namespace

FileRanges::FileRanges(std::uint64_t budget, std::uint64_t granule)
    : budget_(budget), below_(budget, granule), end_(budget) {}

std::optional<Range> FileRanges::allocate(std::uint64_t bytes) {
  if (!has_room(bytes)) return std::nullopt;  // what lies beyond the budget counts, too
  const std::optional<Range> range = below_.allocate(bytes);
  return range ? count(*range) : std::nullopt;
}

std::optional<Range> FileRanges::allocate_beyond(std::uint64_t bytes) {
  if (!has_room(bytes)) return std::nullopt;
  const std::uint64_t rounded = RangeAllocator::rounded(bytes, below_.granule());
  Class* const among = class_of(rounded);
  const std::optional<Range> slot = among != nullptr ? among->slots.allocate(rounded) : std::nullopt;
  return slot ? count({among->begin + slot->offset, rounded}) : std::nullopt;
}

// Made when it is first wanted: a file has few sizes of blocks, and file systems have an end. Null: there is none for
// one granule, or no offsets are left.
FileRanges::Class* FileRanges::class_of(std::uint64_t bytes) {
  const std::uint64_t granule = below_.granule(), slot = std::bit_ceil(bytes / granule) * granule;
  const auto known = std::find_if(beyond_.begin(), beyond_.end(), [&](const Class& c) { return c.slot == slot; });
  if (known != beyond_.end()) return &*known;
  // Of the smallest blocks of the class, as many as there can be.
  const std::uint64_t all = budget_ / (slot / 2 + granule) * slot;
  if (slot == granule || all > kLastOffset - end_) return nullptr;
  beyond_.push_back({end_, slot, RangeAllocator(all, slot)});
  end_ += all;
  return &beyond_.back();
}

std::optional<Range> FileRanges::count(Range range) noexcept {
  used_ += range.bytes;
  peak_ = std::max(peak_, used_);
  return range;
}

bool FileRanges::free(Range range) {
  Class* const beyond = class_at(range.offset);
  const auto freed = beyond != nullptr ? beyond->slots.free(range.offset - beyond->begin) : below_.free(range.offset);
  if (!freed || (beyond == nullptr && freed->bytes != range.bytes)) return false;
  used_ -= range.bytes;
  return true;
}

// Null: it is below the budget.
FileRanges::Class* FileRanges::class_at(std::uint64_t offset) noexcept {
  const auto after = std::find_if(beyond_.begin(), beyond_.end(), [&](const Class& c) { return c.begin > offset; });
  return offset < budget_ || after == beyond_.begin() ? nullptr : &*std::prev(after);
}

}  // namespace weir::memory
