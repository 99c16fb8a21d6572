// SPDX-License-Identifier: Apache-2.0

// What the public API costs on one worker: its budgets stand in include/weir/runtime.hpp and parallel.hpp.
#include <benchmark/benchmark.h>

#include <array>

#include "weir/weir.hpp"

namespace {

weir::Options one_worker() {
  weir::Options options;
  options.workers = 1;
  return options;
}

void report_per_task(benchmark::State& state, long tasks) {
  state.counters["per_task"] = benchmark::Counter(double(tasks) * double(state.iterations()),
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

constexpr long kBatch = 1000;

void spawn_empty(benchmark::State& state) {
  weir::Runtime runtime(one_worker());
  for (auto _ : state) {
    for (long i = 0; i < kBatch; ++i) runtime.spawn([] { asm volatile(""); });
    runtime.wait();
  }
  report_per_task(state, kBatch);
}
BENCHMARK(spawn_empty);

// Closures of 8, 64 and 256 bytes: what moving the callable into the task adds.
template <std::size_t kBytes>
void spawn_closure(benchmark::State& state) {
  weir::Runtime runtime(one_worker());
  std::array<char, kBytes> load{};
  for (auto _ : state) {
    for (long i = 0; i < kBatch; ++i) runtime.spawn([load] { benchmark::DoNotOptimize(load.data()); });
    runtime.wait();
  }
  report_per_task(state, kBatch);
}
BENCHMARK(spawn_closure<8>);
BENCHMARK(spawn_closure<64>);
BENCHMARK(spawn_closure<256>);

void spawn_inout_chain(benchmark::State& state) {
  weir::Runtime runtime(one_worker());
  long value = 0;
  for (auto _ : state) {
    for (long i = 0; i < kBatch; ++i) runtime.spawn(weir::inout(value), [&value] { ++value; });
    runtime.wait();
  }
  benchmark::DoNotOptimize(value);
  report_per_task(state, kBatch);
}
BENCHMARK(spawn_inout_chain);

// Tasks that read what nobody writes: footprints without edges.
void spawn_in_shared(benchmark::State& state) {
  weir::Runtime runtime(one_worker());
  const long value = 1;
  for (auto _ : state) {
    for (long i = 0; i < kBatch; ++i) runtime.spawn(weir::in(value), [&value] { benchmark::DoNotOptimize(&value); });
    runtime.wait();
  }
  report_per_task(state, kBatch);
}
BENCHMARK(spawn_in_shared);

void spawn_with_result(benchmark::State& state) {
  weir::Runtime runtime(one_worker());
  for (auto _ : state) benchmark::DoNotOptimize(runtime.spawn([] { return 1; }).get());
}
BENCHMARK(spawn_with_result);

void wait_for_nothing(benchmark::State& state) {
  weir::Runtime runtime(one_worker());
  for (auto _ : state) runtime.wait();
}
BENCHMARK(wait_for_nothing);

long fibonacci(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  weir::fork_join([&a, n] { a = fibonacci(n - 1); }, [&b, n] { b = fibonacci(n - 2); });
  return a + b;
}

void fork_join_fib(benchmark::State& state) {
  constexpr int kN = 20;
  constexpr long kForks = 10945;  // calls with n >= 2
  weir::Runtime runtime(one_worker());
  for (auto _ : state) benchmark::DoNotOptimize(fibonacci(kN));
  report_per_task(state, kForks);
}
BENCHMARK(fork_join_fib);

void start_and_stop_one_worker(benchmark::State& state) {
  for (auto _ : state) weir::Runtime runtime(one_worker());
}
BENCHMARK(start_and_stop_one_worker);

}  // namespace
