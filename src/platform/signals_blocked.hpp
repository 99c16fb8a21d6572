// SignalsBlocked: while it lives, its thread gets no signals, nor do threads that it starts then: for threads of the
// library, which no handler of the program expects to run on.
#pragma once

#include <pthread.h>

#include <csignal>

namespace weir::platform {

class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace weir::platform
