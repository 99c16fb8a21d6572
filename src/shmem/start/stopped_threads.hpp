// SPDX-License-Identifier: Apache-2.0

// StoppedThreads: while it lives, the other threads of the process wait in a signal handler, and this one gets no
// signals.
//
// For the moment in which pages are exchanged under the feet of a running program. A thread that blocks the signal runs
// on: helpers of libraries do, which have their data elsewhere. One at a time; costs 50 us when there is no other
// thread.
#pragma once

#include <csignal>
#include <vector>

namespace weir::shmem {

class StoppedThreads {
 public:
  StoppedThreads();
  ~StoppedThreads();
  StoppedThreads(const StoppedThreads&) = delete;
  StoppedThreads& operator=(const StoppedThreads&) = delete;

 private:
  bool stop_new_ones();

  sigset_t mask_{};
  struct sigaction before_ {};
  std::vector<int> seen_;  // thread numbers of the kernel
  int sent_ = 0;
  bool has_handler_ = false;
};

}  // namespace weir::shmem
