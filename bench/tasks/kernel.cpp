// SPDX-License-Identifier: Apache-2.0

#include "bench/tasks/kernel.hpp"

#include <sched.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <thread>
#include <vector>

namespace weir::bench {

namespace {

constexpr int kChains = 8;
constexpr int kBursts = 8;
constexpr double kBurstNs = 5e6;

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Iterations per nanosecond of one thread alone for a few milliseconds: sizes the bursts.
double rough_rate() {
  constexpr std::int64_t kIterations = 1'000'000;
  const double start = now_ns();
  volatile double keep = compute(kIterations, 1.0);
  (void)keep;
  return double(kIterations) / (now_ns() - start);
}

}  // namespace

double compute(std::int64_t iterations, double seed) noexcept {
  double chain[kChains];
  for (int i = 0; i < kChains; ++i) chain[i] = seed + i;
  for (std::int64_t n = 0; n < iterations; ++n) {
    for (double& x : chain) x = x * 0.999999 + 1e-6;
  }
  double sum = 0;
  for (const double x : chain) sum += x;
  return sum;
}

int processors_for(int workers) {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return workers;
  return std::clamp(CPU_COUNT(&usable), 1, workers);
}

double peak_iterations_per_ns(int threads) {
  rough_rate();
  const auto iterations = std::int64_t(rough_rate() * kBurstNs);
  double best = 0;
  double start = 0;
  auto at_barrier = [&]() noexcept {
    const double now = now_ns();
    if (start != 0) best = std::max(best, double(iterations) / (now - start));
    start = now;
  };
  std::barrier barrier(threads, at_barrier);
  auto burst = [&](int index) {
    for (int i = 0; i < kBursts; ++i) {
      barrier.arrive_and_wait();
      volatile double keep = compute(iterations, index);
      (void)keep;
    }
    barrier.arrive_and_wait();
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(burst, i);
  burst(0);
  return best;
}

}  // namespace weir::bench
