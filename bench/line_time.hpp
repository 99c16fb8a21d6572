// SPDX-License-Identifier: Apache-2.0

// What a cache line takes from one core to another at the moment: what two workers cost goes with it. On a virtual
// machine it changes, as the host moves the processors about.
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace weir::bench {

// Nanoseconds one way, between the first two processors that the thread may run on: half of what it takes to write a
// line and to see the answer in it. 0: there is only one. Takes a millisecond; the other thread is a new one.
inline double line_time_ns() {
  constexpr int kWarm = 200, kTurns = 1000;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (pthread_getaffinity_np(pthread_self(), sizeof(allowed), &allowed) != 0 || CPU_COUNT(&allowed) < 2) return 0;
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  int second = first + 1;
  while (!CPU_ISSET(second, &allowed)) ++second;
  const auto pin = [](int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
  };
  alignas(128) std::atomic<int> ball{0};  // whose turn it is
  double ns = 0;
  std::thread there([&] {
    pin(second);
    for (int i = 0; i < kWarm + kTurns; ++i) {
      while (ball.load(std::memory_order_acquire) != 1) {
      }
      ball.store(0, std::memory_order_release);
    }
  });
  std::thread here([&] {
    pin(first);
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kWarm + kTurns; ++i) {
      if (i == kWarm) start = std::chrono::steady_clock::now();
      ball.store(1, std::memory_order_release);
      while (ball.load(std::memory_order_acquire) != 0) {
      }
    }
    ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / (2 * kTurns);
  });
  here.join();
  there.join();
  return ns;
}

}  // namespace weir::bench
