// SPDX-License-Identifier: Apache-2.0

// Offers: tiles that lie ready for another rank, which has not taken them yet. Any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/mutex.hpp"
#include "cluster/ending.hpp"

namespace weir::cluster {

class Offers {
 public:
  // The number by which it is taken.
  std::uint64_t add(Rank to, EndingPtr ending) {
    const base::Lock lock(mutex_);
    open_.emplace(++last_, Open{to, std::move(ending)});
    return last_;
  }
  // Null: it was given up.
  EndingPtr take(std::uint64_t offer) {
    const base::Lock lock(mutex_);
    const auto found = open_.find(offer);
    if (found == open_.end()) return nullptr;
    EndingPtr ending = std::move(found->second.ending);
    open_.erase(found);
    is_silent_ = false;
    return ending;
  }
  std::vector<EndingPtr> give_up() {
    const base::Lock lock(mutex_);
    std::vector<EndingPtr> all;
    for (auto& [number, offer] : open_) all.push_back(std::move(offer.ending));
    open_.clear();
    return all;
  }

  // Who has not taken a tile, each once; none where one was taken since the last call.
  std::vector<Rank> silent() {
    std::vector<Rank> ranks;
    {
      const base::Lock lock(mutex_);
      if (!std::exchange(is_silent_, true)) return ranks;
      for (const auto& [number, offer] : open_)
        if (ranks.empty() || ranks.back() != offer.to) ranks.push_back(offer.to);
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
  }
  // Whether there is a tile for that rank.
  bool has_for(Rank to) {
    const base::Lock lock(mutex_);
    return std::any_of(open_.begin(), open_.end(), [to](const auto& each) { return each.second.to == to; });
  }

 private:
  struct Open {
    Rank to;
    EndingPtr ending;
  };
  base::Mutex mutex_;
  bool is_silent_ WEIR_GUARDED_BY(mutex_) = false;  // nothing was taken since silent()
  std::unordered_map<std::uint64_t, Open> open_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t last_ WEIR_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::cluster
