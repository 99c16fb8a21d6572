// SPDX-License-Identifier: Apache-2.0

// Barrier: dissemination in messages, so that a failure of any rank ends it.
//
// In round r a rank tells the one 2^r behind it, and waits for the one 2^r before it: log2(ranks) rounds. D. Hensgen,
// R. Finkel, U. Manber: Two algorithms for barrier synchronization, 1988. One thread waits, any thread notes.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>

#include "base/mutex.hpp"

namespace weir::cluster {

class Barrier {
 public:
  // Waits for all ranks. `tell(rank, round)` sends; a rank may be ahead by one barrier. `look()` lets others' messages
  // come; false: the thread is to sleep now, and another one does that. False: it was given up.
  bool wait(std::uint32_t self, std::uint32_t ranks, const std::function<void(std::uint32_t, std::uint32_t)>& tell,
            const std::function<bool()>& look) {
    for (std::uint32_t round = 0, distance = 1; distance < ranks; ++round, distance *= 2) {
      tell((self + distance) % ranks, round);
      while (!has_arrived(round) && look()) {
      }
      base::Lock lock(mutex_);
      while (arrived_[round] == 0 && !is_given_up_) lock.wait(changed_);
      if (is_given_up_) return false;
      --arrived_[round];
    }
    return true;
  }
  void note(std::uint32_t round) {
    const base::Lock lock(mutex_);
    ++arrived_.at(round);
    changed_.notify_all();
  }
  void give_up() {
    const base::Lock lock(mutex_);
    is_given_up_ = true;
    changed_.notify_all();
  }

 private:
  bool has_arrived(std::uint32_t round) {
    const base::Lock lock(mutex_);
    return arrived_[round] != 0 || is_given_up_;
  }

  base::Mutex mutex_;
  std::condition_variable changed_;
  std::array<std::uint32_t, 32> arrived_ WEIR_GUARDED_BY(mutex_){};  // by round
  bool is_given_up_ WEIR_GUARDED_BY(mutex_) = false;
};

}  // namespace weir::cluster
