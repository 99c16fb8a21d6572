// SPDX-License-Identifier: Apache-2.0

#include "deps/segment_index.hpp"

#include <algorithm>

namespace weir::deps {

void SegmentIndex::cover(ByteRange range, std::vector<Record*>& records) {
  auto position = order_.ending_after(range.start);
  for (std::uintptr_t at = range.start; at < range.end; position = order_.next(position)) {
    Segment* segment = order_.at(position);
    if (segment == nullptr || segment->start > at) {
      segment = make(at, segment == nullptr ? range.end : std::min(range.end, segment->start));
      position = order_.insert(position, segment);
    } else {
      if (segment->start < at) position = split(position, at);
      segment = order_.at(position);
      if (segment->end > range.end) position = split(position, range.end);
      // split() leads to the upper part; the one wanted is the lower.
      if (order_.at(position) != segment) position = order_.ending_after(at);
    }
    if (segment->hidden) {
      hash_.insert(segment);
      segment->hidden = false;
    }
    records.push_back(&segment->record);
    at = segment->end;
  }
}

Record* SegmentIndex::add_between(ByteRange range) {
  const SegmentOrder::Position position = order_.ending_after(range.start);
  const Segment* const next = order_.at(position);
  if (next != nullptr && next->start < range.end) return nullptr;
  Segment* const segment = make(range.start, range.end);
  order_.insert(position, segment);
  hash_.insert(segment);
  segment->hidden = false;
  return &segment->record;
}

// The segment there keeps what lies below `at`; returns the place of the new one, above.
SegmentOrder::Position SegmentIndex::split(SegmentOrder::Position position, std::uintptr_t at) {
  Segment* const lower = order_.at(position);
  Segment* const upper = make(at, lower->end);
  copy_record(lower->record, upper->record, arena_);
  lower->end = at;
  position = order_.insert(order_.next(position), upper);
  if (!lower->hidden) {
    hash_.insert(upper);
    upper->hidden = false;
  }
  return position;
}

SegmentOrder::Position SegmentIndex::remove(SegmentOrder::Position position, Segment* segment) noexcept {
  arena_.recycle(segment, sizeof(Segment));
  return order_.erase(position);
}

}  // namespace weir::deps
