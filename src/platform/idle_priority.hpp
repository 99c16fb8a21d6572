// SPDX-License-Identifier: Apache-2.0

// For threads whose work can wait: they run on processors that nobody else wants. No right is needed, either way.
#pragma once

#include <pthread.h>
#include <sched.h>

namespace weir::platform {

// The calling thread. Where the system refuses, it runs as any other. Such a thread must hold no lock that others wait
// for: it may be kept waiting for seconds.
inline void run_when_idle() noexcept {
  const sched_param none{};
  pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
}

// Another thread runs as usual from now on: somebody waits for it.
inline void run_as_usual(pthread_t thread) noexcept {
  const sched_param none{};
  pthread_setschedparam(thread, SCHED_OTHER, &none);
}

}  // namespace weir::platform
