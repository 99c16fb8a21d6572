// SPDX-License-Identifier: Apache-2.0

// Tasks on islands: what one costs, empty, from spawn() to wait(), by kind of memory, number of workers and order.
#include <benchmark/benchmark.h>

#include "weir/island.hpp"

namespace {

using weir::IslandMemory;
using weir::island::Master;

constexpr int kTasks = 10'000;
constexpr int kObjects = 64;  // of a line each

Master master_of(benchmark::State& state) {
  weir::Options options;
  options.workers = static_cast<int>(state.range(0));
  options.island_memory = static_cast<IslandMemory>(state.range(1));
  options.island_heap = 16;
  return Master(options);
}

// `objects`: of which each task takes the next; 1: a chain.
void run(benchmark::State& state, int objects) {
  Master master = master_of(state);
  auto* const x = master.allocate<std::uint64_t>(8 * kObjects);
  for (auto _ : state) {
    for (int i = 0; i < kTasks; ++i) master.spawn(weir::inout(x[8 * (i % objects)]), [](std::uint64_t& v) { ++v; });
    master.wait();
  }
  state.SetItemsProcessed(state.iterations() * kTasks);
}

void chain(benchmark::State& state) { run(state, 1); }
void sixty_four_chains(benchmark::State& state) { run(state, kObjects); }

void arguments(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"workers", "memory"})->ArgsProduct({{1, 2}, {0, 1}})->UseRealTime();
}
BENCHMARK(chain)->Apply(arguments);
BENCHMARK(sixty_four_chains)->Apply(arguments);

}  // namespace
