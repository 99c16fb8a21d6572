// SPDX-License-Identifier: Apache-2.0

// Seconds of the steady clock, for rates and guesses of how long something takes.
#pragma once

#include <chrono>

namespace weir::tool {

inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace weir::tool
