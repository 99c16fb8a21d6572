// SPDX-License-Identifier: Apache-2.0

// PunctualSleep: while it lives, the calling thread's sleeps end when they are to, as well as the system can.
//
// The kernel may let each sleep last 50 us longer, to wake threads together (prctl(2), PR_SET_TIMERSLACK). Threads of
// real-time policies have no such slack, and where the kernel does not say how long it is, it stays.
#pragma once

#include <sys/prctl.h>

namespace weir::platform {

class PunctualSleep {
 public:
  PunctualSleep() noexcept : slack_ns_(prctl(PR_GET_TIMERSLACK)) {
    if (slack_ns_ > 0) prctl(PR_SET_TIMERSLACK, 1ul);
  }
  ~PunctualSleep() {
    if (slack_ns_ > 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack_ns_));
  }
  PunctualSleep(const PunctualSleep&) = delete;
  PunctualSleep& operator=(const PunctualSleep&) = delete;

 private:
  const int slack_ns_;  // 0 or less: left alone
};

}  // namespace weir::platform
