// SPDX-License-Identifier: Apache-2.0

// The records of one watched array, by block; made in chunks as they are first touched.
//
// A table is *plain* when the blocks are all that an access through the array has to look at. It is not while
// - history from before the array was watched is unfinished: it is kept as frozen records by address, or
// - another table has bytes in common with it (a peer): an access through one touches the blocks of both.
// Owned by a TableDirectory, on its map's thread.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "deps/arena.hpp"
#include "deps/block_grid.hpp"

namespace weir::deps {

class BlockTable {
 public:
  struct Inherited {
    ByteRange range;
    Record record;  // frozen
  };

  BlockTable(const Partition& partition, Arena& arena);

  std::uint64_t id() const noexcept { return id_; }
  const BlockGrid& grid() const noexcept { return grid_; }
  bool plain() const noexcept { return plain_; }

  // index < grid().block_count().
  Record& block(std::uint64_t index) {
    Record* const chunk = chunks_[index / kChunk];
    if (chunk == nullptr) [[unlikely]]
      return make_chunk(index / kChunk)[index % kChunk];
    return chunk[index % kChunk];
  }

  // Appends the records of blocks, and of history before them, that overlap.
  void collect(ByteRange range, std::vector<Record*>& records);
  void collect(const BlockGrid::Rectangle& rectangle, std::vector<Record*>& records);
  // The same for an access through this array, when it is not plain: peers included.
  void collect_with_peers(const BlockGrid::Rectangle& rectangle, std::vector<Record*>& records);

  // Calls f(Record&) for each record there is, until it returns false; returns whether none did.
  template <class F>
  bool all_records(F f);

  // In the order of addresses, before the first access.
  void inherit(Inherited history);
  // Drops the inherited records for which f(Record&) is true; f gives back what they hold. Costs something only once
  // per as many calls as there are such records.
  template <class F>
  void drop_inherited(F f);

  void add_peer(BlockTable* peer);
  void remove_peer(BlockTable* peer) noexcept;
  // Gives the chunks back to the arena.
  void release() noexcept;

 private:
  static constexpr std::uint64_t kChunk = 64;  // records
  struct FreeDeleter {
    void operator()(Record** chunks) const noexcept { std::free(chunks); }
  };

  std::uint64_t chunk_records() const noexcept { return grid_.block_count() < kChunk ? grid_.block_count() : kChunk; }
  std::uint64_t chunk_count() const noexcept { return (grid_.block_count() + kChunk - 1) / kChunk; }
  [[gnu::noinline]] Record* make_chunk(std::uint64_t index);
  void collect_inherited(ByteRange range, std::vector<Record*>& records);
  void update_plain() noexcept { plain_ = inherited_.empty() && peers_.empty(); }

  std::uint64_t id_;
  bool plain_ = true;
  std::unique_ptr<Record*[], FreeDeleter> chunks_;  // calloc: pages of a large one appear when touched
  BlockGrid grid_;
  Arena& arena_;
  std::vector<Inherited> inherited_;  // by address, disjoint
  std::size_t calls_since_drop_ = 0;
  std::vector<BlockTable*> peers_;
};

template <class F>
bool BlockTable::all_records(F f) {
  for (Inherited& inherited : inherited_)
    if (!f(inherited.record)) return false;
  for (std::uint64_t c = 0; c < chunk_count(); ++c) {
    if (chunks_[c] == nullptr) continue;
    for (std::uint64_t i = 0; i < chunk_records(); ++i)
      if (!f(chunks_[c][i])) return false;
  }
  return true;
}

template <class F>
void BlockTable::drop_inherited(F f) {
  if (inherited_.empty() || ++calls_since_drop_ < inherited_.size()) return;
  calls_since_drop_ = 0;
  std::erase_if(inherited_, [&](Inherited& inherited) { return f(inherited.record); });
  update_plain();
}

}  // namespace weir::deps
