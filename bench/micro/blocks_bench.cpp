// SPDX-License-Identifier: Apache-2.0

// What a block in a footprint costs beside an object of the program, one worker: in memory with one tier, with two
// while all fits in the first, and with two when it does not and every task is tracked (nothing moves here either).
// Then tasks without an order on small blocks, by one and two workers, which come to them by the queue of staged tasks:
// blocks that stay, and blocks that are each brought in and written back.
#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "weir/weir.hpp"

namespace {

constexpr long kBatch = 1000;
constexpr std::size_t kBytes = 4096;

void report_per_task(benchmark::State& state) {
  state.counters["per_task"] = benchmark::Counter(double(kBatch) * double(state.iterations()),
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

weir::Options options_with(const char* tiers, int workers = 1) {
  weir::Options options;
  options.workers = workers;
  options.tiers = tiers;
  return options;
}

template <std::size_t... I, class Items>
void spawn_all(weir::Runtime& runtime, Items& items, std::index_sequence<I...>) {
  runtime.spawn(weir::inout(items[I])..., [] { asm volatile(""); });
}

// kBlocks long integers of the program named inout by a chain of tasks.
template <std::size_t kBlocks>
void chain_of_objects(benchmark::State& state) {
  weir::Runtime runtime(options_with(""));
  std::array<long, 8 * kBlocks> memory{};
  for (auto _ : state) {
    for (long i = 0; i < kBatch; ++i) spawn_all(runtime, memory, std::make_index_sequence<kBlocks>());
    runtime.wait();
  }
  report_per_task(state);
}

template <std::size_t kBlocks>
void chain(benchmark::State& state, const char* tiers, std::size_t others) {
  weir::Runtime runtime(options_with(tiers));
  std::vector<weir::Block<char>> blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) blocks.emplace_back(runtime, kBytes);
  std::vector<weir::Block<char>> rest;
  for (std::size_t i = 0; i < others; ++i) rest.emplace_back(runtime, std::size_t{1} << 20);
  for (auto _ : state) {
    for (long i = 0; i < kBatch; ++i) spawn_all(runtime, blocks, std::make_index_sequence<kBlocks>());
    runtime.wait();
  }
  report_per_task(state);
}

template <std::size_t kBlocks>
void chain_in_one_tier(benchmark::State& state) {
  chain<kBlocks>(state, "memory=64MiB", 0);
}
template <std::size_t kBlocks>
void chain_in_two_tiers(benchmark::State& state) {
  chain<kBlocks>(state, "memory=64MiB,emulated=64MiB@1", 0);
}
template <std::size_t kBlocks>
void chain_tracked(benchmark::State& state) {
  chain<kBlocks>(state, "memory=4MiB,emulated=64MiB@1", 8);
}

BENCHMARK(chain_of_objects<1>);
BENCHMARK(chain_in_one_tier<1>);
BENCHMARK(chain_in_two_tiers<1>);
BENCHMARK(chain_tracked<1>);
BENCHMARK(chain_of_objects<4>);
BENCHMARK(chain_in_one_tier<4>);
BENCHMARK(chain_in_two_tiers<4>);
BENCHMARK(chain_tracked<4>);

// `count` blocks, each in one task a round.
void each_once(benchmark::State& state, const char* tiers, std::size_t count, std::size_t others) {
  weir::Options options = options_with(tiers, static_cast<int>(state.range(0)));
  options.strategy = static_cast<weir::Strategy>(state.range(1));
  weir::Runtime runtime(options);
  std::vector<weir::Block<char>> blocks, rest;
  for (std::size_t i = 0; i < count; ++i) blocks.emplace_back(runtime, kBytes);
  for (std::size_t i = 0; i < others; ++i) rest.emplace_back(runtime, std::size_t{1} << 20);
  for (auto _ : state) {
    for (weir::Block<char>& block : blocks) runtime.spawn(weir::inout(block), [] { asm volatile(""); });
    runtime.wait();
  }
  state.counters["per_task"] = benchmark::Counter(double(count) * double(state.iterations()),
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
void blocks_that_stay(benchmark::State& state) { each_once(state, "memory=8MiB,emulated=64MiB@1", 1000, 10); }
void blocks_that_move(benchmark::State& state) { each_once(state, "memory=1MiB,emulated=64MiB@1", 1000, 0); }

void by_workers_and_strategy(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"workers", "strategy"})->UseRealTime();
  for (const weir::Strategy strategy : {weir::Strategy::single, weir::Strategy::ahead})
    for (const long workers : {1, 2}) benchmark->Args({workers, static_cast<long>(strategy)});
}
BENCHMARK(blocks_that_stay)->Apply(by_workers_and_strategy);
BENCHMARK(blocks_that_move)->Apply(by_workers_and_strategy);

}  // namespace
