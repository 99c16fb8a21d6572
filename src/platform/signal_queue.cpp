// SPDX-License-Identifier: Apache-2.0

#include "platform/signal_queue.hpp"

#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace weir::platform {

base::Result<std::unique_ptr<SignalQueue>> SignalQueue::make(std::initializer_list<int> signals) {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int number : signals) sigaddset(&mask, number);
  Descriptor descriptor(signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor.is_open()) {
    const int error = errno;
    const bool is_forbidden = error == ENOSYS || error == EPERM || error == EACCES;
    return base::Status{is_forbidden ? base::Code::unsupported : base::Code::no_space,
                        fmt::format("signals cannot be received: {} (signalfd){}", std::strerror(error),
                                    is_forbidden ? ": is it forbidden here, by a container's seccomp profile?" : "")};
  }
  std::unique_ptr<SignalQueue> queue(new SignalQueue(std::move(descriptor)));
  // What is ignored leaves no zombie to ask for its end.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, &queue->children_before_);
  pthread_sigmask(SIG_BLOCK, &mask, &queue->before_);
  return queue;
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
