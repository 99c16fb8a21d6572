// SPDX-License-Identifier: Apache-2.0

// OpenReductions: tiles that ranks accumulate into at this place of the common order, the same on all of them.
//
// A wait ends them all, whether or not it writes a checkpoint: so what is folded, and when, follows from the program.
// The thread that spawns.
#pragma once

#include <cstddef>
#include <vector>

#include "cluster/tile.hpp"

namespace weir::cluster {

class OpenReductions {
 public:
  void add(detail::RankedTile& tile) {
    tiles_.push_back(&tile);
    tile.open_at = tiles_.size() - 1;
  }
  void remove(const detail::RankedTile& tile) noexcept {
    tiles_[tile.open_at] = tiles_.back();
    tiles_[tile.open_at]->open_at = tile.open_at;
    tiles_.pop_back();
  }
  // One of them; null: there is none.
  detail::RankedTile* any() const noexcept { return tiles_.empty() ? nullptr : tiles_.back(); }

 private:
  std::vector<detail::RankedTile*> tiles_;
};

}  // namespace weir::cluster
