// SPDX-License-Identifier: Apache-2.0

// Parts of a tile that several ranks accumulate into, as every rank counts them: who has a copy of its own, and who
// folds whose.
//
// All ranks see all tasks in one order, so each knows who has a copy without a message. Copies are folded by pairs, so
// that of n ranks none folds more than log2(n), rounded up. Values; the thread that spawns.
#pragma once

#include <algorithm>
#include <vector>

#include "base/ids.hpp"
#include "weir/footprint.hpp"

namespace weir::cluster {

class Parts {
 public:
  // Null: nobody accumulates.
  const detail::TileReduction* reduction() const noexcept { return reduction_; }

  // A task at `where` accumulates; `writer` has the newest version and accumulates into that. True: the copy at `where`
  // has to begin with the identity.
  bool note(const detail::TileReduction& reduction, Rank writer, Rank where) {
    reduction_ = &reduction;
    if (where == writer || std::find(with_copy_.begin(), with_copy_.end(), where) != with_copy_.end()) return false;
    with_copy_.push_back(where);
    return true;
  }

  // The copy at `from` is folded at `into`, into the copy there or, at the writer, into the tile.
  struct Fold {
    Rank from, into;
  };
  // What has to be done before the tile is used otherwise, in an order that all ranks keep.
  std::vector<Fold> close(Rank writer) {
    std::vector<Rank> ranks{writer};
    ranks.insert(ranks.end(), with_copy_.begin(), with_copy_.end());
    std::vector<Fold> folds;
    for (std::size_t step = 1; step < ranks.size(); step *= 2) {
      for (std::size_t i = 0; i + step < ranks.size(); i += 2 * step) folds.push_back({ranks[i + step], ranks[i]});
    }
    reduction_ = nullptr;
    with_copy_.clear();
    return folds;
  }

 private:
  const detail::TileReduction* reduction_ = nullptr;
  std::vector<Rank> with_copy_;  // in the order in which they began
};

}  // namespace weir::cluster
