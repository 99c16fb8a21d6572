// SPDX-License-Identifier: Apache-2.0

// The memory outside of watched arrays, as disjoint segments with a record each: exact look-up, and cover().
//
// Owned by a BlockMap, on its thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include "deps/segment_hash.hpp"
#include "deps/segment_order.hpp"

namespace weir::deps {

class SegmentIndex {
 public:
  explicit SegmentIndex(Arena& arena) noexcept : arena_(arena), order_(arena) {}

  // The record of the segment that is exactly [start, end), or null.
  Record* find(std::uintptr_t start, std::uintptr_t end) const noexcept {
    Segment* const segment = hash_.find(start, end);
    return segment != nullptr ? &segment->record : nullptr;
  }

  // Appends the records that make up `range`, which holds no byte of a watched array. Segments that reach across its
  // ends are split, and both parts keep the history; memory not seen before gets new segments.
  void cover(ByteRange range, std::vector<Record*>& records);
  // The record of a new segment that is `range`, which is not empty and holds no byte of a watched array; null when
  // some segment has a byte of it.
  Record* add(ByteRange range) {
    if (!order_.is_behind_all(range.start)) return add_between(range);
    Segment* const segment = make(range.start, range.end);
    order_.append(segment);
    hash_.insert(segment);
    segment->hidden = false;
    return &segment->record;
  }

  // What to do with a segment in visit().
  enum class Verdict : std::uint8_t { keep, hide, remove };  // hide: from find(), until cover() cuts a part out
  // Asks `judge(Segment&)` about each segment that overlaps `range`; it must give back what a removed record holds.
  template <class Judge>
  void visit(ByteRange range, Judge judge) {
    auto position = order_.ending_after(range.start);
    for (Segment* s = order_.at(position); s != nullptr && s->start < range.end; s = order_.at(position)) {
      const Verdict verdict = judge(*s);
      if (verdict != Verdict::keep) hide(s);
      position = verdict == Verdict::remove ? remove(position, s) : order_.next(position);
    }
  }

  // Removes the segments of which `drop(Segment&)`, which gives back what the record holds, says so.
  template <class Drop>
  void remove_if(Drop drop) {
    order_.remove_if([&](Segment* segment) {
      if (!drop(*segment)) return false;
      arena_.recycle(segment, sizeof(Segment));
      return true;
    });
    hash_.clear(std::max(order_.size(), kRoomKept));
    order_.for_each([this](Segment* segment) {
      if (!segment->hidden) hash_.insert(segment);
    });
  }

  std::size_t size() const noexcept { return order_.size(); }
  std::size_t system_bytes() const noexcept { return hash_.system_bytes(); }
  // Forgets all; the caller has given back what the records hold, and resets the arena.
  void clear() noexcept {
    hash_.clear(0);
    order_.clear();
  }

 private:
  static constexpr std::size_t kRoomKept = 1024;  // segments that the hash has room for after remove_if()

  // A new one is hidden, so that cover() has one place where segments enter the hash.
  Segment* make(std::uintptr_t start, std::uintptr_t end) {
    auto* const segment = ::new (arena_.allocate(sizeof(Segment))) Segment;
    segment->start = start;
    segment->end = end;
    segment->hidden = true;
    return segment;
  }
  [[gnu::noinline]] Record* add_between(ByteRange range);
  SegmentOrder::Position split(SegmentOrder::Position position, std::uintptr_t at);
  SegmentOrder::Position remove(SegmentOrder::Position position, Segment* segment) noexcept;
  void hide(Segment* segment) noexcept {
    if (!segment->hidden) hash_.erase(segment);
    segment->hidden = true;
  }

  Arena& arena_;
  SegmentHash hash_;  // those that are not hidden
  SegmentOrder order_;
};

}  // namespace weir::deps
