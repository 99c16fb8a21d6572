// SPDX-License-Identifier: Apache-2.0

// Segments in the order of their addresses: finds those that overlap a range.
//
// Two levels: chunks of up to 127 segments, and an array with the first address of each chunk. A million segments take
// two binary searches, 13 and 7 steps; what lies behind the last segment of all, of the chunk that was searched last,
// or of any other, takes none, one, or only the first. Owned by a SegmentIndex, on its map's thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "deps/arena.hpp"
#include "deps/segment_hash.hpp"

namespace weir::deps {

class SegmentOrder {
 public:
  // A place in the order; good until the next insert or erase.
  struct Position {
    std::size_t chunk = 0;
    std::size_t slot = 0;
  };

  explicit SegmentOrder(Arena& arena) noexcept : arena_(arena) {}

  Position begin() const noexcept { return {}; }
  // The first segment that ends after `address`.
  Position ending_after(std::uintptr_t address) const noexcept;
  // Null at the end.
  Segment* at(Position position) const noexcept {
    return position.chunk < chunks_.size() ? chunks_[position.chunk]->segments[position.slot] : nullptr;
  }
  Position next(Position position) const noexcept { return normal({position.chunk, position.slot + 1}); }
  // Whether `address` is sure to lie behind all segments.
  bool is_behind_all(std::uintptr_t address) const noexcept { return address >= end_; }
  // Puts `segment`, of which is_behind_all(), at the end. Budget: 12 instructions.
  void append(Segment* segment) {
    if (chunks_.empty() || chunks_.back()->count == kChunk) [[unlikely]] {
      insert({chunks_.size(), 0}, segment);
      return;
    }
    Chunk& chunk = *chunks_.back();
    chunk.starts[chunk.count] = segment->start;
    chunk.segments[chunk.count++] = segment;
    end_ = segment->end;
    ++size_;
  }
  // Puts `segment` before the one at `position`; returns where it is now.
  Position insert(Position position, Segment* segment);
  // Returns the place of the one that came after.
  Position erase(Position position) noexcept;
  // Removes those of which `drop(Segment*)` says so, in one pass; calls it once for each, in their order.
  template <class Drop>
  void remove_if(Drop drop);
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Chunk* chunk : chunks_) std::for_each_n(chunk->segments, chunk->count, visit);
  }
  // Forgets all; the memory is the arena's, which the caller resets.
  void clear() noexcept;
  std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t kChunk = 127;     // a chunk is 2040 bytes
  static constexpr std::size_t kLeastPart = 32;  // that a full chunk is split in
  struct Chunk {
    std::size_t count = 0;
    std::uintptr_t starts[kChunk];
    Segment* segments[kChunk];
  };

  Position normal(Position position) const noexcept {
    if (position.chunk < chunks_.size() && position.slot == chunks_[position.chunk]->count)
      return {position.chunk + 1, 0};
    return position;
  }
  std::size_t chunk_of(std::uintptr_t address) const noexcept;
  void add_chunk(std::size_t index);
  Position make_room(Position position);
  void recycle_chunks(std::size_t from) noexcept;

  Arena& arena_;
  std::vector<std::uintptr_t> firsts_;  // of each chunk, its first start
  std::vector<Chunk*> chunks_;          // none is empty
  std::size_t size_ = 0;
  std::uintptr_t end_ = 0;            // no segment ends after it
  mutable std::size_t searched_ = 0;  // the chunk that an address was last found in, if there still is one there
};

template <class Drop>
void SegmentOrder::remove_if(Drop drop) {
  std::size_t to_chunk = 0, to_slot = 0;  // where the next one that stays goes: never behind where it is
  size_ = 0;
  for (std::size_t c = 0; c < chunks_.size(); ++c) {
    const Chunk& from = *chunks_[c];
    const std::size_t count = from.count;
    for (std::size_t i = 0; i < count; ++i) {
      if (drop(from.segments[i])) continue;
      if (to_slot == kChunk) {
        chunks_[to_chunk++]->count = kChunk;
        to_slot = 0;
      }
      Chunk& to = *chunks_[to_chunk];
      if (to_slot == 0) firsts_[to_chunk] = from.starts[i];
      to.starts[to_slot] = from.starts[i];
      to.segments[to_slot++] = from.segments[i];
      ++size_;
    }
  }
  if (to_slot != 0) chunks_[to_chunk++]->count = to_slot;
  recycle_chunks(to_chunk);
  end_ = chunks_.empty() ? 0 : chunks_.back()->segments[chunks_.back()->count - 1]->end;
}

}  // namespace weir::deps
