// SPDX-License-Identifier: Apache-2.0

// StoppedThreads: while it lives, the other threads of the process wait in a signal handler, and this one gets no
// signals.
//
// For the moment in which pages are exchanged under the feet of a running program. A thread that blocks the signal for
// long runs on: helpers of libraries do, which have their data elsewhere. One at a time; costs 50 us when there is no
// other thread.
//
// A thread may be stopped while it holds any lock, as that of malloc(): the owner of one of these must not allocate nor
// wait for anything of another thread.
#pragma once

#include <csignal>
#include <vector>

#include "shmem/start/thread_files.hpp"

namespace weir::shmem {

class StoppedThreads {
 public:
  StoppedThreads();
  ~StoppedThreads();
  StoppedThreads(const StoppedThreads&) = delete;
  StoppedThreads& operator=(const StoppedThreads&) = delete;

 private:
  // Of all threads: none runs; only those run that block the signal; some were stopped that ran before.
  enum class Look { all_stopped, some_block, news };

  bool is_alone();
  void prepare();
  Look stop_new_ones() noexcept;

  ThreadFiles threads_;
  sigset_t mask_{};
  struct sigaction before_ {};
  std::vector<bool> seen_;  // by number; empty: there is no other thread
  int sent_ = 0;
};

}  // namespace weir::shmem
