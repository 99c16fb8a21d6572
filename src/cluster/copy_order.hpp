// SPDX-License-Identifier: Apache-2.0

// CopyOrder: the copies that one rank has of tiles that another rank has written, in the order in which tasks use them.
//
// The rank that has them and the one that has sent them keep it alike, each for itself: every task that reads such a
// copy names a tile that concerns both, so that both see it, also where ranks leave out tasks that do not concern them
// (docs/scaling.md). So both know which copy leaves, without a message. Values; the thread that spawns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

namespace weir::detail {
struct RankedTile;
}

namespace weir::cluster {

class CopyOrder {
 public:
  using Tile = detail::RankedTile;

  // `task` reads the tile, whose copy is there or comes for it. Numbers of tasks do not fall.
  void use(Tile& tile, std::size_t bytes, std::uint64_t task) {
    const auto found = places_.find(&tile);
    if (found != places_.end()) {
      order_.splice(order_.end(), order_, found->second);
      found->second->task = task;
      return;
    }
    order_.push_back({&tile, bytes, task});
    places_.emplace(&tile, std::prev(order_.end()));
    bytes_ += bytes;
  }
  // The same, if the copy is there.
  void use_if_there(Tile& tile, std::uint64_t task) {
    if (places_.contains(&tile)) use(tile, 0, task);
  }
  // There is none from here on, or was none.
  void remove(const Tile& tile) noexcept {
    const auto found = places_.find(&tile);
    if (found == places_.end()) return;
    bytes_ -= found->second->bytes;
    order_.erase(found->second);
    places_.erase(found);
  }
  // The copy that was used longest ago, when there are more than `most` bytes and `task` does not read it; else null.
  Tile* one_too_many(std::uint64_t most, std::uint64_t task) const noexcept {
    return bytes_ <= most || order_.front().task == task ? nullptr : order_.front().tile;
  }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct Use {
    Tile* tile;
    std::size_t bytes;
    std::uint64_t task;  // the last one
  };
  std::list<Use> order_;  // the one used longest ago first
  std::unordered_map<const Tile*, std::list<Use>::iterator> places_;
  std::uint64_t bytes_ = 0;
};

}  // namespace weir::cluster
