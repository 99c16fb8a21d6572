// SPDX-License-Identifier: Apache-2.0

// How a process waits for what another one writes: it looks, at first without a pause. Then it sleeps as its caller
// says, or, where nothing can wake it, a sixteenth of the time that it has waited, which is how late it may see it; a
// millisecond at most.
// One thread.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "platform/clock.hpp"

namespace weir::island {

class Patience {
 public:
  explicit Patience(int spin_us) noexcept : spin_ns_(std::uint64_t{1000} * static_cast<std::uint64_t>(spin_us)) {}

  // It was there.
  void reset() noexcept { looks_ = 0; }

  // It was not. True when the process slept.
  bool wait() noexcept {
    return wait([](std::uint64_t ns) {
      const timespec pause{0, static_cast<long>(ns)};
      nanosleep(&pause, nullptr);
    });
  }
  // The same with sleep(ns), which is told how long a sleep without a waker would be.
  template <class Sleep>
  bool wait(Sleep sleep) noexcept {
    if (++looks_ % kLooksPerClock != 0) {
      platform::spin_pause();
      return false;
    }
    const std::uint64_t now = platform::now_ns();
    if (looks_ == kLooksPerClock) since_ = now;
    if (now - since_ < spin_ns_) {
      sched_yield();  // where there are more processes than cores, another one is what this waits for
      return false;
    }
    looks_ = 2 * kLooksPerClock - 1;  // a look between sleeps
    sleep(std::clamp((now - since_) / 16, kShortest, kLongest));
    return true;
  }

 private:
  static constexpr std::uint32_t kLooksPerClock = 16;
  static constexpr std::uint64_t kShortest = 20'000, kLongest = 1'000'000;  // ns

  std::uint64_t spin_ns_, since_ = 0;
  std::uint32_t looks_ = 0;
};

}  // namespace weir::island
