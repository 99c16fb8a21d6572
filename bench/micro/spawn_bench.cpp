// SPDX-License-Identifier: Apache-2.0

// What the public API costs on one worker: its budgets stand in include/weir/runtime.hpp and parallel.hpp.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

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

// Steps of a task graph eight wide: each task writes a buffer and reads `kReads` of the step before. The buffers are
// new in every step, or those of two steps ago; the one minus the other is what naming new memory costs. None is
// touched.
template <std::size_t kReads, bool kFresh>
void spawn_steps(benchmark::State& state) {
  constexpr std::size_t kWidth = 8, kSteps = 125, kBytes = 64;
  weir::Runtime runtime(one_worker());
  std::uint64_t step = 0;
  const auto buffer = [](std::uint64_t of_step, std::size_t column) {
    const std::uint64_t place = (kFresh ? of_step : of_step % 2) * kWidth + column;
    return reinterpret_cast<std::byte*>((std::uintptr_t{1} << 44) + place * kBytes);
  };
  for (auto _ : state) {
    for (std::size_t s = 0; s < kSteps; ++s, ++step) {
      for (std::size_t c = 0; c < kWidth; ++c) {
        [&]<std::size_t... R>(std::index_sequence<R...>) {
          runtime.spawn(weir::in(buffer(step, (c + R) % kWidth), kBytes)..., weir::out(buffer(step + 1, c), kBytes),
                        [] { asm volatile(""); });
        }
        (std::make_index_sequence<kReads>{});
      }
    }
    runtime.wait();
  }
  report_per_task(state, long{kSteps * kWidth});
}
BENCHMARK(spawn_steps<1, false>);
BENCHMARK(spawn_steps<1, true>);
BENCHMARK(spawn_steps<2, false>);
BENCHMARK(spawn_steps<2, true>);
BENCHMARK(spawn_steps<3, false>);
BENCHMARK(spawn_steps<3, true>);

// The same footprint as items of spawn() and as one range of them, filled for each task.
template <std::size_t kItems, bool kRange>
void spawn_items(benchmark::State& state) {
  weir::Runtime runtime(one_worker());
  std::array<long, 64> values{};
  std::vector<weir::Access> items(kItems);
  for (auto _ : state) {
    for (std::size_t i = 0; i < std::size_t{kBatch}; ++i) {
      const auto value = [&](std::size_t k) -> long& { return values[(i + 7 * k) % values.size()]; };
      [&]<std::size_t... K>(std::index_sequence<K...>) {
        if constexpr (kRange) {
          for (std::size_t k = 1; k < kItems; ++k) items[k] = weir::in(value(k));
          items[0] = weir::inout(value(0));
          runtime.spawn(items, [] { asm volatile(""); });
        } else {
          runtime.spawn(weir::in(value(K + 1))..., weir::inout(value(0)), [] { asm volatile(""); });
        }
      }
      (std::make_index_sequence<kItems - 1>{});
    }
    runtime.wait();
  }
  report_per_task(state, kBatch);
}
BENCHMARK(spawn_items<1, false>);
BENCHMARK(spawn_items<1, true>);
BENCHMARK(spawn_items<3, false>);
BENCHMARK(spawn_items<3, true>);
BENCHMARK(spawn_items<8, false>);
BENCHMARK(spawn_items<8, true>);

// A task that comes after eight, by handles one by one and by a range of them.
template <bool kRange>
void spawn_after_eight(benchmark::State& state) {
  weir::Runtime runtime(one_worker());
  std::array<weir::Handle<>, 8> last;
  for (auto _ : state) {
    for (std::size_t i = 0; i < std::size_t{kBatch}; ++i) {
      [&]<std::size_t... K>(std::index_sequence<K...>) {
        if constexpr (kRange) {
          last[i % 8] = runtime.spawn(weir::after(last), [] { asm volatile(""); });
        } else {
          last[i % 8] = runtime.spawn(weir::after(last[K])..., [] { asm volatile(""); });
        }
      }
      (std::make_index_sequence<8>{});
    }
    runtime.wait();
  }
  report_per_task(state, kBatch);
}
BENCHMARK(spawn_after_eight<false>);
BENCHMARK(spawn_after_eight<true>);

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
