// SPDX-License-Identifier: Apache-2.0

// Waiting: one wait for what another PE or thread does: spins, then yields the processor, then sleeps for short times.
//
//   for (Waiting waiting; *word == 0;) waiting.pause();
//
// On the way it makes the transport's progress where remote PEs need it, and ends the program with a name when a PE is
// lost: no wait hangs. Sleeps soon where PEs share processors, else late. On the stack of the thread that waits.
#pragma once

#include <cstdint>

#include "platform/clock.hpp"

namespace weir::shmem {

class Waiting {
 public:
  // A few pauses of the processor at first; the caller looks again after each call.
  void pause() noexcept {
    if (round_ < spins_) [[likely]] {
      ++round_;
      platform::spin_pause();
    } else {
      pause_slow();
    }
  }

  Waiting() noexcept;

 private:
  void pause_slow() noexcept;

  std::uint32_t round_ = 0;
  std::uint32_t spins_;              // rounds that only spin
  std::uint64_t slow_since_ns_ = 0;  // 0: has not yielded yet
};

}  // namespace weir::shmem
