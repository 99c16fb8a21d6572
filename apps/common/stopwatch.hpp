// SPDX-License-Identifier: Apache-2.0

// Seconds since it was made.
#pragma once

#include <chrono>

namespace weir::apps {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

}  // namespace weir::apps
