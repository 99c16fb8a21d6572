// SPDX-License-Identifier: Apache-2.0

// A lock that a process may ask for as it ends, also in a signal handler that has interrupted its holder.
#pragma once

#include <pthread.h>
#include <ctime>

#include <atomic>

namespace weir::placer {

class Lock {
 public:
  void hold() noexcept {
    pthread_mutex_lock(&mutex_);
    holder_ = pthread_self();
  }
  bool try_hold() noexcept {
    if (pthread_mutex_trylock(&mutex_) != 0) return false;
    holder_ = pthread_self();
    return true;
  }
  // False when this thread holds it, which a signal handler has interrupted then, or when another one holds it and does
  // not go on, as a handler has stopped it.
  bool hold_at_end() noexcept {
    if (holder_.load() == pthread_self()) return false;
    timespec until{};
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += kPatience;
    if (pthread_mutex_clocklock(&mutex_, CLOCK_MONOTONIC, &until) != 0) return false;
    holder_ = pthread_self();
    return true;
  }
  void release() noexcept {
    holder_ = 0;
    pthread_mutex_unlock(&mutex_);
  }
  // In the child of fork(), where its holder may not be.
  void open_in_child() noexcept {
    holder_ = 0;
    pthread_mutex_init(&mutex_, nullptr);
  }

 private:
  static constexpr int kPatience = 10;  // seconds

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<pthread_t> holder_{0};  // written by it; 0: none
};

}  // namespace weir::placer
