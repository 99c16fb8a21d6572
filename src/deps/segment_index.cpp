// SPDX-License-Identifier: Apache-2.0

#include "deps/segment_index.hpp"

#include <algorithm>

namespace weir::deps {

void SegmentIndex::cover(ByteRange range, std::vector<Record*>& records) {
  put_in_order();
  auto position = order_.ending_after(range.start);
  for (std::uintptr_t at = range.start; at < range.end; position = order_.next(position)) {
    Segment* segment = order_.at(position);
    if (segment == nullptr || segment->start > at) {
      const std::uintptr_t gap_end = segment == nullptr ? range.end : std::min(range.end, segment->start);
      make_filter_ready(at, gap_end);
      static_cast<void>(filter_.add(at, gap_end));
      segment = make(at, gap_end);
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

Record* SegmentIndex::add_in_order(std::uintptr_t start, std::uintptr_t end) {
  put_in_order();
  const SegmentOrder::Position position = order_.ending_after(start);
  const Segment* const next = order_.at(position);
  if (next != nullptr && next->start < end) return nullptr;
  Segment* const segment = make(start, end);
  order_.insert(position, segment);
  hash_.insert(segment);
  segment->hidden = false;
  return &segment->record;
}

void SegmentIndex::fill_filter(std::uintptr_t start, std::uintptr_t end) {
  filter_.clear(size(), start, end);
  for_each([this](const Segment* segment) { static_cast<void>(filter_.add(segment->start, segment->end)); });
}

// Out of memory half-way, those that are left stay where they are.
void SegmentIndex::put_all_in_order() {
  std::sort(unordered_.begin(), unordered_.end(),
            [](const Segment* a, const Segment* b) { return a->start > b->start; });
  while (!unordered_.empty()) {
    Segment* const segment = unordered_.back();
    if (order_.is_behind_all(segment->start)) {
      order_.append(segment);
    } else {
      order_.insert(order_.ending_after(segment->start), segment);
    }
    unordered_.pop_back();
  }
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
