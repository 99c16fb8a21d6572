// SPDX-License-Identifier: Apache-2.0

// Copies: what this rank has of tiles that others own, and what others have of those that it has written: how much that
// may be, what is dropped, and what becomes of its memory.
//
// A limit (WEIR_RANK_COPIES) is one for each pair of ranks: so much a rank keeps of what one other has written. Both of
// a pair find out alike what leaves for it (copy_order.hpp). With a limit the blocks of dropped copies serve the next
// ones, which are received when the tasks before have ended: so there are never more, however far ahead tasks are
// spawned. Without, dropped blocks are destroyed when their tasks have ended. The thread that spawns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>

#include "base/ids.hpp"
#include "cluster/copy_order.hpp"
#include "cluster/tile.hpp"
#include "weir/block.hpp"
#include "weir/detail/ranked.hpp"
#include "weir/runtime.hpp"

namespace weir::cluster {

class Copies {
 public:
  // `most` 0: no limit.
  Copies(Runtime& runtime, Rank self, Bytes most) noexcept : runtime_(runtime), self_(self), most_(most.count) {}

  // A task at `where` will read these. Before it is planned.
  void begin_task(std::span<const detail::RankedItem> items, Rank where) {
    if (is_limited()) [[unlikely]]
      begin_task_slow(items, where);
  }
  // It reads this one, which has been noted in the tile's versions: others may leave for it.
  void note_read(detail::RankedTile& tile, Rank where) {
    if (is_limited()) [[unlikely]]
      note_read_slow(tile, where);
  }
  // In the tile's versions and here.
  void note_write(detail::RankedTile& tile, Rank where) {
    if (!is_limited()) [[likely]]
      return tile.versions.note_write(self_, where);
    note_write_slow(tile, where);
  }
  // On all ranks but the tile's owner and the one that has written it last.
  void drop(detail::RankedTile& tile);

  // Makes the tile's block on this rank, if there is none. Throws weir::Error.
  void need_block(detail::RankedTile& tile);
  // Without a limit: destroys dropped blocks whose tasks have ended.
  void collect() noexcept;
  // Destroys all dropped blocks. Waits for their tasks.
  void clear() noexcept;
  // The array's tiles go, and the dropped blocks that were theirs. Waits for their tasks.
  void end(std::span<detail::RankedTile> tiles) noexcept;
  // Dropped blocks that are there still.
  std::size_t spare_count() const noexcept { return spares_.size(); }

 private:
  struct Spare {
    detail::BlockBase* block;
    std::uint32_t array;  // whose tile it was last
    std::size_t bytes;
    Handle<> last;  // ends behind the tasks that use it
  };

  bool is_limited() const noexcept { return most_ != 0; }
  void begin_task_slow(std::span<const detail::RankedItem> items, Rank where);
  void note_read_slow(detail::RankedTile& tile, Rank where);
  void note_write_slow(detail::RankedTile& tile, Rank where);
  // Whether it counts as a copy of a rank at `where`, and this one keeps its order: as who has it, or has written it.
  bool is_kept_in_order(const detail::RankedTile& tile, Rank where) const noexcept;
  CopyOrder& order_of(const detail::RankedTile& tile, Rank where);
  void give_up(detail::RankedTile& tile);
  detail::BlockBase* take_block(const detail::RankedTile& tile);
  detail::BlockBase* make_block(const detail::RankedTile& tile);
  void destroy_oldest() noexcept;

  Runtime& runtime_;
  const Rank self_;
  const std::uint64_t most_;                                   // bytes of copies from one rank
  std::uint64_t task_ = 0;                                     // the one that is planned
  std::unordered_map<std::uint32_t, CopyOrder> here_, there_;  // by rank: who has written it, and who has it
  std::deque<Spare> spares_;                                   // dropped longest ago first
};

}  // namespace weir::cluster
