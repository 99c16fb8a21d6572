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
    tasks_ += ending->is_of_task() ? 1 : 0;
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
    tasks_ -= ending->is_of_task() ? 1 : 0;
    ++taken_;
    return ending;
  }
  std::vector<EndingPtr> give_up() {
    const base::Lock lock(mutex_);
    std::vector<EndingPtr> all;
    for (auto& [number, offer] : open_) all.push_back(std::move(offer.ending));
    open_.clear();
    tasks_ = 0;
    return all;
  }

  // How many were taken.
  std::uint64_t taken() const {
    const base::Lock lock(mutex_);
    return taken_;
  }
  // Tasks that end when one of the others is taken.
  std::uint64_t tasks() const {
    const base::Lock lock(mutex_);
    return tasks_;
  }
  // Who has not taken a tile, each once.
  std::vector<Rank> receivers() const {
    std::vector<Rank> ranks;
    {
      const base::Lock lock(mutex_);
      for (const auto& [number, offer] : open_)
        if (ranks.empty() || ranks.back() != offer.to) ranks.push_back(offer.to);
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
  }
  // Whether there is a tile for that rank.
  bool has_for(Rank to) const {
    const base::Lock lock(mutex_);
    return std::any_of(open_.begin(), open_.end(), [to](const auto& each) { return each.second.to == to; });
  }

 private:
  struct Open {
    Rank to;
    EndingPtr ending;
  };
  mutable base::Mutex mutex_;
  std::unordered_map<std::uint64_t, Open> open_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t last_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t taken_ WEIR_GUARDED_BY(mutex_) = 0, tasks_ WEIR_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::cluster
