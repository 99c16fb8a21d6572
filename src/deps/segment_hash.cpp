// SPDX-License-Identifier: Apache-2.0

#include "deps/segment_hash.hpp"

#include <algorithm>
#include <cstring>

namespace weir::deps {

SegmentHash::Slot SegmentHash::none_[2] = {{kEmpty, nullptr}, {kEmpty, nullptr}};

SegmentHash::SegmentHash() noexcept : slots_(none_) {}

// Closes the gap: an entry further on moves into it unless its home lies after the gap.
void SegmentHash::erase(const Segment* segment) noexcept {
  std::size_t gap = home(segment->start);
  while (slots_[gap].start != segment->start) {
    if (slots_[gap].start == kEmpty) return;
    gap = (gap + 1) & mask_;
  }
  for (std::size_t i = (gap + 1) & mask_; slots_[i].start != kEmpty; i = (i + 1) & mask_) {
    const std::size_t from_home = (i - home(slots_[i].start)) & mask_;
    if (from_home >= ((i - gap) & mask_)) {
      slots_[gap] = slots_[i];
      gap = i;
    }
  }
  slots_[gap] = {kEmpty, nullptr};
  --count_;
}

void SegmentHash::clear(std::size_t expected) noexcept {
  count_ = 0;
  if (storage_ == nullptr) return;
  if (room_ > 8 * std::max(expected, kFirstCapacity)) {
    storage_.reset();
    slots_ = none_;
    mask_ = 1;
    room_ = 0;
    shift_ = 63;
    return;
  }
  make_empty();
}

void SegmentHash::use(std::unique_ptr<Slot[]> slots, std::size_t capacity) noexcept {
  storage_ = std::move(slots);
  slots_ = storage_.get();
  mask_ = capacity - 1;
  room_ = capacity;
  shift_ = 64 - std::countr_zero(capacity);
  make_empty();
}

// All bits set is an empty slot, whatever its segment.
void SegmentHash::make_empty() noexcept { std::memset(static_cast<void*>(slots_), 0xff, room_ * sizeof(Slot)); }

void SegmentHash::grow() {
  const std::size_t old_capacity = room_;
  const std::size_t capacity = std::max(kFirstCapacity, 2 * old_capacity);
  auto larger = std::make_unique_for_overwrite<Slot[]>(capacity);
  const std::unique_ptr<Slot[]> old = std::move(storage_);
  use(std::move(larger), capacity);
  for (std::size_t i = 0; i < old_capacity; ++i)
    if (old[i].start != kEmpty) place(old[i].segment);
}

}  // namespace weir::deps
