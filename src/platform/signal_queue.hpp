// SPDX-License-Identifier: Apache-2.0

// SignalQueue: signals of this process as things to read, for a thread that polls; no handler runs.
//
// They are blocked in the calling thread while it lives: other threads must not be there, or block them too. A signal
// that was ignored before (nohup) stays ignored, but for SIGCHLD.
#pragma once

#include <csignal>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>

#include "base/result.hpp"
#include "platform/process.hpp"

namespace weir::platform {

class SignalQueue {
 public:
  // unsupported, no_space: the system gives no descriptor for them (signalfd); all is as before.
  static base::Result<std::unique_ptr<SignalQueue>> make(std::initializer_list<int> signals);
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  // Readable when there is one.
  int descriptor() const noexcept { return descriptor_.number(); }
  struct Signal {
    int number = 0;
    bool by_terminal = false;  // Ctrl-C and the like: every process of the foreground group has got it
  };
  std::optional<Signal> next() noexcept;
  // For processes that are started meanwhile: blocked signals are inherited. Async-signal-safe.
  void restore_mask() const noexcept;

 private:
  explicit SignalQueue(Descriptor descriptor) noexcept : descriptor_(std::move(descriptor)) {}

  sigset_t before_{};
  struct sigaction children_before_ {};
  Descriptor descriptor_;
};

}  // namespace weir::platform
