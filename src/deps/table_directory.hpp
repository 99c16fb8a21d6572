// SPDX-License-Identifier: Apache-2.0

// The watched arrays that a block map has met: by id for accesses through them, by address for all others.
//
// Owned by a BlockMap, on its thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "deps/block_table.hpp"

namespace weir::deps {

class TableDirectory {
 public:
  TableDirectory();

  // Null when it was not met before. Ids are handed out one by one, so that arrays used together do not collide.
  BlockTable* find(std::uint64_t id) const noexcept {
    for (std::size_t i = id & mask_;; i = (i + 1) & mask_) {
      BlockTable* const table = by_id_[i];
      if (table == nullptr || table->id() == id) return table;
    }
  }
  BlockTable& add(std::unique_ptr<BlockTable> table);
  // Ends its life. The caller has given back what its records hold.
  void remove(BlockTable* table) noexcept;
  void clear() noexcept;

  bool empty() const noexcept { return tables_.empty(); }
  std::size_t size() const noexcept { return tables_.size(); }

  // Appends the tables of which bytes may lie in `range`.
  void overlapping(ByteRange range, std::vector<BlockTable*>& tables) const;
  // Appends what of `range` belongs to no table.
  void unwatched(ByteRange range, std::vector<ByteRange>& rest) const;
  // Appends all.
  void all(std::vector<BlockTable*>& tables) const;

 private:
  void index_ids();
  void index_ends(std::size_t from) noexcept;

  std::vector<std::unique_ptr<BlockTable>> tables_;  // by start address
  std::vector<std::uintptr_t> ends_;                 // the largest end among tables_[0..i]
  std::vector<BlockTable*> by_id_;                   // open addressing, at most half full; at least one null
  std::size_t mask_ = 0;
};

}  // namespace weir::deps
