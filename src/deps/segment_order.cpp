// SPDX-License-Identifier: Apache-2.0

#include "deps/segment_order.hpp"

#include <algorithm>
#include <new>

namespace weir::deps {

namespace {

// How many of the ascending `starts` are at or before `address`. Without branches that would be guessed wrong.
std::size_t count_up_to(const std::uintptr_t* starts, std::size_t count, std::uintptr_t address) noexcept {
  const std::uintptr_t* from = starts;
  while (count > 1) {
    const std::size_t half = count / 2;
    from += from[half - 1] <= address ? half : 0;
    count -= half;
  }
  return static_cast<std::size_t>(from - starts) + (count == 1 && *from <= address ? 1 : 0);
}

}  // namespace

SegmentOrder::Position SegmentOrder::ending_after(std::uintptr_t address) const noexcept {
  if (chunks_.empty() || address < firsts_.front()) return {};
  const std::size_t index = chunk_of(address);
  const Chunk& chunk = *chunks_[index];
  // The first that starts after address; >= 1, as the chunk starts at or before it.
  std::size_t slot = chunk.count;
  if (chunk.starts[slot - 1] > address) slot = count_up_to(chunk.starts, slot - 1, address);
  if (chunk.segments[slot - 1]->end > address) return {index, slot - 1};
  return normal({index, slot});
}

// The last chunk that starts at or before `address`; there is one.
std::size_t SegmentOrder::chunk_of(std::uintptr_t address) const noexcept {
  if (address >= firsts_.back()) return chunks_.size() - 1;
  const std::size_t hint = searched_;
  if (hint + 1 < firsts_.size() && firsts_[hint] <= address && address < firsts_[hint + 1]) return hint;
  return searched_ = count_up_to(firsts_.data(), firsts_.size(), address) - 1;
}

SegmentOrder::Position SegmentOrder::insert(Position position, Segment* segment) {
  // At the front of a chunk means at the back of the one before, whose first address then stays as it is.
  if (position.slot == 0 && position.chunk > 0) position = {position.chunk - 1, chunks_[position.chunk - 1]->count};
  if (chunks_.empty()) add_chunk(0);
  if (chunks_[position.chunk]->count == kChunk) position = make_room(position);
  Chunk& chunk = *chunks_[position.chunk];
  if (position.slot != chunk.count) {
    std::copy_backward(chunk.starts + position.slot, chunk.starts + chunk.count, chunk.starts + chunk.count + 1);
    std::copy_backward(chunk.segments + position.slot, chunk.segments + chunk.count, chunk.segments + chunk.count + 1);
  }
  chunk.starts[position.slot] = segment->start;
  chunk.segments[position.slot] = segment;
  ++chunk.count;
  ++size_;
  firsts_[position.chunk] = chunk.starts[0];
  end_ = std::max(end_, segment->end);
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

// All chunks from that one on are empty.
void SegmentOrder::recycle_chunks(std::size_t from) noexcept {
  for (std::size_t i = from; i < chunks_.size(); ++i) arena_.recycle(chunks_[i], sizeof(Chunk));
  chunks_.resize(from);
  firsts_.resize(from);
}

void SegmentOrder::clear() noexcept {
  firsts_ = {};
  chunks_ = {};
  size_ = 0;
  end_ = 0;
}

void SegmentOrder::add_chunk(std::size_t index) {
  if (firsts_.size() == firsts_.capacity()) firsts_.reserve(2 * firsts_.size() + 8);
  if (chunks_.size() == chunks_.capacity()) chunks_.reserve(2 * chunks_.size() + 8);
  auto* const chunk = ::new (arena_.allocate(sizeof(Chunk))) Chunk;
  firsts_.insert(firsts_.begin() + static_cast<std::ptrdiff_t>(index), 0);
  chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(index), chunk);
}

// Splits a full chunk where the new segment goes, as more may follow it there, but neither part is to be small; or,
// when that is at its end, into itself and an empty one.
SegmentOrder::Position SegmentOrder::make_room(Position position) {
  add_chunk(position.chunk + 1);
  Chunk& full = *chunks_[position.chunk];
  Chunk& fresh = *chunks_[position.chunk + 1];
  if (position.slot == kChunk) return {position.chunk + 1, 0};
  const std::size_t at = std::clamp(position.slot, kLeastPart, kChunk - kLeastPart);
  std::copy(full.starts + at, full.starts + kChunk, fresh.starts);
  std::copy(full.segments + at, full.segments + kChunk, fresh.segments);
  fresh.count = kChunk - at;
  full.count = at;
  firsts_[position.chunk + 1] = fresh.starts[0];
  return position.slot <= at ? position : Position{position.chunk + 1, position.slot - at};
}

}  // namespace weir::deps
