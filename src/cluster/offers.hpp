// SPDX-License-Identifier: Apache-2.0

// Offers: tiles that lie ready for another rank, which has not taken them yet. Any thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/mutex.hpp"
#include "cluster/ending.hpp"

namespace weir::cluster {

class Offers {
 public:
  // The number by which it is taken.
  std::uint64_t add(EndingPtr ending) {
    const base::Lock lock(mutex_);
    open_.emplace(++last_, std::move(ending));
    return last_;
  }
  // Null: it was given up.
  EndingPtr take(std::uint64_t offer) {
    const base::Lock lock(mutex_);
    const auto found = open_.find(offer);
    if (found == open_.end()) return nullptr;
    EndingPtr ending = std::move(found->second);
    open_.erase(found);
    return ending;
  }
  std::vector<EndingPtr> give_up() {
    const base::Lock lock(mutex_);
    std::vector<EndingPtr> all;
    for (auto& [number, ending] : open_) all.push_back(std::move(ending));
    open_.clear();
    return all;
  }

 private:
  base::Mutex mutex_;
  std::unordered_map<std::uint64_t, EndingPtr> open_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t last_ WEIR_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::cluster
