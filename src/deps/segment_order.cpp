// SPDX-License-Identifier: Apache-2.0

#include "deps/segment_order.hpp"

#include <algorithm>
#include <new>

namespace weir::deps {

SegmentOrder::Position SegmentOrder::ending_after(std::uintptr_t address) const noexcept {
  const auto chunk_after = std::upper_bound(firsts_.begin(), firsts_.end(), address);
  if (chunk_after == firsts_.begin()) return {};
  const auto index = static_cast<std::size_t>(chunk_after - firsts_.begin()) - 1;
  const Chunk& chunk = *chunks_[index];
  const auto* const after = std::upper_bound(chunk.starts, chunk.starts + chunk.count, address);
  const auto slot = static_cast<std::size_t>(after - chunk.starts);  // >= 1: the chunk starts at or before address
  if (chunk.segments[slot - 1]->end > address) return {index, slot - 1};
  return normal({index, slot});
}

SegmentOrder::Position SegmentOrder::insert(Position position, Segment* segment) {
  // At the front of a chunk means at the back of the one before, whose first address then stays as it is.
  if (position.slot == 0 && position.chunk > 0) position = {position.chunk - 1, chunks_[position.chunk - 1]->count};
  if (chunks_.empty()) add_chunk(0);
  if (chunks_[position.chunk]->count == kChunk) position = make_room(position);
  Chunk& chunk = *chunks_[position.chunk];
  std::copy_backward(chunk.starts + position.slot, chunk.starts + chunk.count, chunk.starts + chunk.count + 1);
  std::copy_backward(chunk.segments + position.slot, chunk.segments + chunk.count, chunk.segments + chunk.count + 1);
  chunk.starts[position.slot] = segment->start;
  chunk.segments[position.slot] = segment;
  ++chunk.count;
  ++size_;
  firsts_[position.chunk] = chunk.starts[0];
  return position;
}

SegmentOrder::Position SegmentOrder::erase(Position position) noexcept {
  Chunk& chunk = *chunks_[position.chunk];
  std::copy(chunk.starts + position.slot + 1, chunk.starts + chunk.count, chunk.starts + position.slot);
  std::copy(chunk.segments + position.slot + 1, chunk.segments + chunk.count, chunk.segments + position.slot);
  --chunk.count;
  --size_;
  if (chunk.count != 0) {
    firsts_[position.chunk] = chunk.starts[0];
    return normal(position);
  }
  arena_.recycle(&chunk, sizeof(Chunk));
  chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(position.chunk));
  firsts_.erase(firsts_.begin() + static_cast<std::ptrdiff_t>(position.chunk));
  return {position.chunk, 0};
}

void SegmentOrder::clear() noexcept {
  firsts_ = {};
  chunks_ = {};
  size_ = 0;
}

void SegmentOrder::add_chunk(std::size_t index) {
  if (firsts_.size() == firsts_.capacity()) firsts_.reserve(2 * firsts_.size() + 8);
  if (chunks_.size() == chunks_.capacity()) chunks_.reserve(2 * chunks_.size() + 8);
  auto* const chunk = ::new (arena_.allocate(sizeof(Chunk))) Chunk;
  firsts_.insert(firsts_.begin() + static_cast<std::ptrdiff_t>(index), 0);
  chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(index), chunk);
}

// Splits a full chunk: in halves, or, when addresses only grow, into itself and an empty one.
SegmentOrder::Position SegmentOrder::make_room(Position position) {
  add_chunk(position.chunk + 1);
  Chunk& full = *chunks_[position.chunk];
  Chunk& fresh = *chunks_[position.chunk + 1];
  if (position.slot == kChunk) return {position.chunk + 1, 0};
  const std::size_t half = kChunk / 2;
  std::copy(full.starts + half, full.starts + kChunk, fresh.starts);
  std::copy(full.segments + half, full.segments + kChunk, fresh.segments);
  fresh.count = kChunk - half;
  full.count = half;
  firsts_[position.chunk + 1] = fresh.starts[0];
  return position.slot <= half ? position : Position{position.chunk + 1, position.slot - half};
}

}  // namespace weir::deps
