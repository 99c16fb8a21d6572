// SPDX-License-Identifier: Apache-2.0

// Segments in the order of their addresses: finds those that overlap a range.
//
// Two levels: chunks of up to 127 segments, and an array with the first address of each chunk. A million segments take
// two binary searches, 13 and 7 steps. Owned by a SegmentIndex, on its map's thread.
#pragma once

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
  // Puts `segment` before the one at `position`; returns where it is now.
  Position insert(Position position, Segment* segment);
  // Returns the place of the one that came after.
  Position erase(Position position) noexcept;
  // Forgets all; the memory is the arena's, which the caller resets.
  void clear() noexcept;
  std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t kChunk = 127;  // a chunk is 2040 bytes
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
  void add_chunk(std::size_t index);
  Position make_room(Position position);

  Arena& arena_;
  std::vector<std::uintptr_t> firsts_;  // of each chunk, its first start
  std::vector<Chunk*> chunks_;          // none is empty
  std::size_t size_ = 0;
};

}  // namespace weir::deps
