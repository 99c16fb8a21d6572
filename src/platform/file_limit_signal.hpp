// SPDX-License-Identifier: Apache-2.0

// FileLimitIsNoSignal: while one lives, a write of this thread beyond the limit on the length of files (ulimit -f)
// fails with EFBIG, and does not end the program. Threads of the library have the signal blocked for good
// (start_thread.hpp); this is for what they do on the program's threads.
#pragma once

#include <csignal>
#include <ctime>

namespace weir::platform {

class FileLimitIsNoSignal {
 public:
  FileLimitIsNoSignal() noexcept {
    sigset_t pending;
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
    sigpending(&pending);
    is_the_programs_ = sigismember(&pending, SIGXFSZ) != 0;
  }
  ~FileLimitIsNoSignal() {
    constexpr timespec kNow{};
    if (!is_the_programs_) sigtimedwait(&signal_, nullptr, &kNow);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  FileLimitIsNoSignal(const FileLimitIsNoSignal&) = delete;
  FileLimitIsNoSignal& operator=(const FileLimitIsNoSignal&) = delete;

 private:
  sigset_t signal_{}, before_{};
  bool is_the_programs_ = false;  // one that was pending before
};

}  // namespace weir::platform
