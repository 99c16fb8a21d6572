// SPDX-License-Identifier: Apache-2.0

// Barrier: dissemination in messages, so that a failure of any rank ends it.
//
// In round r a rank tells the one 2^r behind it, and waits for the one 2^r before it: log2(ranks) rounds. D. Hensgen,
// R. Finkel, U. Manber: Two algorithms for barrier synchronization, 1988. One thread waits, any thread notes.
//
// A rank that ends comes to a last one. Others that meet it at a barrier of the program would wait for it at the next.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>

#include "base/mutex.hpp"
#include "cluster/wire.hpp"

namespace weir::cluster {

class Barrier {
 public:
  enum class Outcome : std::uint8_t { passed, given_up, contradicted };  // contradicted: `other` is at another meeting
  struct Passage {
    Outcome outcome;
    std::uint32_t other = 0;
  };
  // Waits for all ranks. `tell(rank, round)` sends; a rank may be ahead by one barrier. `look()` lets others' messages
  // come; false: the thread is to sleep now, and another one does that.
  Passage wait(Meeting at, std::uint32_t self, std::uint32_t ranks,
               const std::function<void(std::uint32_t, std::uint32_t)>& tell, const std::function<bool()>& look) {
    for (std::uint32_t round = 0, distance = 1; distance < ranks; ++round, distance *= 2) {
      tell((self + distance) % ranks, round);
      while (!has_arrived(round) && look()) {
      }
      base::Lock lock(mutex_);
      while (arrived_[round].count == 0 && !is_given_up_) lock.wait(changed_);
      if (is_given_up_) return {Outcome::given_up};
      if (take(arrived_[round]) != at) return {Outcome::contradicted, (self + ranks - distance) % ranks};
    }
    return {Outcome::passed};
  }
  void note(std::uint32_t round, Meeting at) {
    const base::Lock lock(mutex_);
    Arrivals& arrivals = arrived_.at(round);
    ++arrivals.count;
    arrivals.has_ended |= at == Meeting::end;
    changed_.notify_all();
  }
  void give_up() {
    const base::Lock lock(mutex_);
    is_given_up_ = true;
    changed_.notify_all();
  }

 private:
  // Of one rank, the same in each barrier.
  struct Arrivals {
    std::uint32_t count = 0;
    bool has_ended = false;  // the last of them was at the end
  };

  static Meeting take(Arrivals& from) noexcept {
    return --from.count == 0 && from.has_ended ? Meeting::end : Meeting::barrier;
  }
  bool has_arrived(std::uint32_t round) {
    const base::Lock lock(mutex_);
    return arrived_[round].count != 0 || is_given_up_;
  }

  base::Mutex mutex_;
  std::condition_variable changed_;
  std::array<Arrivals, 32> arrived_ WEIR_GUARDED_BY(mutex_){};  // by round
  bool is_given_up_ WEIR_GUARDED_BY(mutex_) = false;
};

}  // namespace weir::cluster
