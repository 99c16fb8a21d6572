// SPDX-License-Identifier: Apache-2.0

// SignalsBlocked: while it lives, its thread gets no signals, nor do threads that it starts then: for threads of the
// library, which no handler of the program expects to run on. Faults are not blocked: the kernel ends a process whose
// thread cannot get one, and under `weir check` any thread may meet a closed page.
#pragma once

#include <pthread.h>

#include <csignal>

namespace weir::platform {

class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace weir::platform
