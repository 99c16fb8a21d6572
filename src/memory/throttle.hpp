// SPDX-License-Identifier: Apache-2.0

// Makes memory as slow as a slower tier: all that copies to or from it, or works in it, shares a number of bytes a
// second.
//
// Turns are given in order of asking. Exact over milliseconds, at no cost of a processor: a caller goes on up to 100 us
// before its turn has passed, or after; no more than that is owed or saved up. Any thread.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/mutex.hpp"

namespace weir::memory {

class Throttle {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Throttle(double bytes_per_second);  // more than 0

  // Returns when `bytes` more could have passed.
  void charge(std::uint64_t bytes) noexcept { wait_until(reserve(bytes)); }
  // charge() in two steps, around a copy whose own time counts: reserve() says when the bytes will have passed.
  Clock::time_point reserve(std::uint64_t bytes) noexcept;
  static void wait_until(Clock::time_point time) noexcept;

  double bytes_per_second() const noexcept { return bytes_per_second_; }

 private:
  const double bytes_per_second_;
  base::Mutex mutex_;
  Clock::time_point free_at_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::memory
