// SPDX-License-Identifier: Apache-2.0

#include "platform/signal_queue.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

namespace weir::platform {

SignalQueue::SignalQueue(std::initializer_list<int> signals) {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int number : signals) sigaddset(&mask, number);
  // What is ignored leaves no zombie to ask for its end.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, &children_before_);
  pthread_sigmask(SIG_BLOCK, &mask, &before_);
  descriptor_ = Descriptor(signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalQueue::~SignalQueue() {
  while (next()) {  // they were for whoever had the queue
  }
  restore_mask();
  sigaction(SIGCHLD, &children_before_, nullptr);
}

std::optional<SignalQueue::Signal> SignalQueue::next() noexcept {
  signalfd_siginfo info;
  if (::read(descriptor_.number(), &info, sizeof info) != sizeof info) return std::nullopt;
  return Signal{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

void SignalQueue::restore_mask() const noexcept { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace weir::platform
