// SPDX-License-Identifier: Apache-2.0

// Allocating from an arena that has grown: budgets in src/memory/arena.hpp.
#include "memory/arena.hpp"

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

namespace {

using weir::memory::Arena;

std::unique_ptr<Arena> populated_arena() {
  weir::memory::ArenaConfig config;
  config.name = "bench";
  config.budget = {std::uint64_t{64} << 20};
  auto arena = Arena::make(std::move(config));
  if (!arena->get()->populate({arena->get()->budget()})) std::abort();
  return std::move(*arena);
}

void allocate_then_free(benchmark::State& state) {
  const auto arena = populated_arena();
  const auto bytes = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    const std::uint64_t data = arena->allocate(bytes);
    benchmark::DoNotOptimize(data);
    arena->free(data, bytes);
  }
}
BENCHMARK(allocate_then_free)->Arg(64)->Arg(1000)->Arg(64 << 10)->Arg(1 << 20);

// One of many live allocations is replaced: the holes are many and lie anywhere.
void replace_one_of_many(benchmark::State& state) {
  const auto arena = populated_arena();
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::vector<std::uint64_t> live((std::size_t{48} << 20) / bytes / 2);
  for (std::uint64_t& data : live) data = arena->allocate(bytes);
  std::mt19937 random(1);
  for (auto _ : state) {
    std::uint64_t& data = live[random() % live.size()];
    arena->free(data, bytes);
    data = arena->allocate(bytes);
  }
}
BENCHMARK(replace_one_of_many)->Arg(64)->Arg(1000)->Arg(64 << 10)->Arg(1 << 20);

}  // namespace
