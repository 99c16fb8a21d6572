// SPDX-License-Identifier: Apache-2.0

// Pause: what a thread does between two looks at MPI, which wakes nobody: gives its core away, then sleeps, longer and
// longer. One thread.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace weir::transport::mpi {

class Pause {
 public:
  // `worked`: the look before has found something.
  void between(bool worked) noexcept {
    if (worked) turn_ = 0;
    if (turn_ < kYields) {
      ++turn_;
      nap_ = kShortest;
      sched_yield();
      return;
    }
    sleep(nap_);
    nap_ = std::min(nap_ * 2, kLongest);
  }
  static void sleep(std::uint64_t ns) noexcept {
    const timespec time{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
    nanosleep(&time, nullptr);
  }

 private:
  static constexpr std::uint32_t kYields = 2000;  // about a millisecond of looking
  static constexpr std::uint64_t kShortest = 20'000, kLongest = 400'000;

  std::uint32_t turn_ = 0;
  std::uint64_t nap_ = kShortest;
};

}  // namespace weir::transport::mpi
