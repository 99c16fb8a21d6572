// SPDX-License-Identifier: Apache-2.0

// The memory outside of watched arrays, as disjoint segments with a record each: exact look-up, and cover().
//
// Owned by a BlockMap, on its thread.
#pragma once

#include <cstdint>
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

  std::size_t size() const noexcept { return order_.size(); }
  std::size_t system_bytes() const noexcept { return hash_.system_bytes(); }
  // Forgets all; the caller has given back what the records hold, and resets the arena.
  void clear() noexcept {
    hash_.clear(0);
    order_.clear();
  }

 private:
  Segment* make(std::uintptr_t start, std::uintptr_t end);
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
