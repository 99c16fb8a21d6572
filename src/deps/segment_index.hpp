// SPDX-License-Identifier: Apache-2.0

// The memory outside of watched arrays, as disjoint segments with a record each: exact look-up, and cover().
//
// Only who asks for what overlaps a range needs the order of the segments. New ones of memory that the filter knows to
// be new are put in it when an access overlaps, if they live as long.
//
// Owned by a BlockMap, on its thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <vector>

#include "deps/segment_filter.hpp"
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
  // The record of a new segment [start, end), which is not empty and holds no byte of a watched array; null when some
  // segment has a byte of it.
  Record* add(std::uintptr_t start, std::uintptr_t end) {
    make_filter_ready(start, end);
    if (!filter_.add(start, end)) [[unlikely]]
      return add_in_order(start, end);
    if (unordered_.size() == unordered_.capacity()) [[unlikely]]
      unordered_.reserve(2 * unordered_.size() + 8);
    Segment* const segment = make(start, end);
    hash_.insert(segment);
    segment->hidden = false;
    unordered_.push_back(segment);
    return &segment->record;
  }

  // What to do with a segment in visit().
  enum class Verdict : std::uint8_t { keep, hide, remove };  // hide: from find(), until cover() cuts a part out
  // Asks `judge(Segment&)` about each segment that overlaps `range`; it must give back what a removed record holds.
  template <class Judge>
  void visit(ByteRange range, Judge judge) {
    put_in_order();
    auto position = order_.ending_after(range.start);
    for (Segment* s = order_.at(position); s != nullptr && s->start < range.end; s = order_.at(position)) {
      const Verdict verdict = judge(*s);
      if (verdict != Verdict::keep) hide(s);
      position = verdict == Verdict::remove ? remove(position, s) : order_.next(position);
    }
  }

  // Makes segments that overlap the range and lie side by side one, where `join(Record&, Record& of_the_next)`, which
  // then gives back what the next one's holds, says so. Returns how many are left.
  template <class Join>
  std::size_t join(ByteRange range, Join join) {
    put_in_order();
    auto position = order_.ending_after(range.start);
    std::size_t left = 0;
    Segment* before = nullptr;
    for (Segment* s = order_.at(position); s != nullptr && s->start < range.end; s = order_.at(position)) {
      const bool beside = before != nullptr && before->end == s->start && !before->hidden && !s->hidden;
      if (!beside || !join(before->record, s->record)) {
        before = s;
        position = order_.next(position);
        ++left;
        continue;
      }
      hash_.erase(s);
      before->end = s->end;
      position = remove(position, s);
    }
    return left;
  }

  // Removes the segments of which `drop(Segment&)`, which gives back what the record holds, says so.
  template <class Drop>
  void remove_if(Drop drop) {
    const auto dropped = [&](Segment* segment) {
      if (!drop(*segment)) return false;
      arena_.recycle(segment, sizeof(Segment));
      return true;
    };
    order_.remove_if(dropped);
    std::erase_if(unordered_, dropped);
    hash_.clear(std::max(size(), kRoomKept));
    for_each([this](Segment* segment) {
      if (!segment->hidden) hash_.insert(segment);
    });
    filter_.forget_segments();
  }

  std::size_t size() const noexcept { return order_.size() + unordered_.size(); }
  std::size_t system_bytes() const noexcept {
    return hash_.system_bytes() + filter_.system_bytes() + unordered_.capacity() * sizeof(void*);
  }
  // Forgets all; the caller has given back what the records hold, and resets the arena.
  void clear() noexcept {
    hash_.clear(0);
    filter_.release();
    order_.clear();
    std::vector<Segment*>().swap(unordered_);
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
  template <class Visit>
  void for_each(Visit visit) const {
    order_.for_each(visit);
    std::for_each(unordered_.begin(), unordered_.end(), visit);
  }
  void make_filter_ready(std::uintptr_t start, std::uintptr_t end) {
    if (!filter_.is_ready_for(start, end)) [[unlikely]]
      fill_filter(start, end);
  }
  [[gnu::noinline]] void fill_filter(std::uintptr_t start, std::uintptr_t end);
  void put_in_order() {
    if (!unordered_.empty()) put_all_in_order();
  }
  [[gnu::noinline]] void put_all_in_order();
  [[gnu::noinline]] Record* add_in_order(std::uintptr_t start, std::uintptr_t end);
  SegmentOrder::Position split(SegmentOrder::Position position, std::uintptr_t at);
  SegmentOrder::Position remove(SegmentOrder::Position position, Segment* segment) noexcept;
  void hide(Segment* segment) noexcept {
    if (!segment->hidden) hash_.erase(segment);
    segment->hidden = true;
  }

  Arena& arena_;
  SegmentHash hash_;      // those that are not hidden
  SegmentFilter filter_;  // of all
  SegmentOrder order_;
  std::vector<Segment*> unordered_;  // those that are not in order_
};

}  // namespace weir::deps
