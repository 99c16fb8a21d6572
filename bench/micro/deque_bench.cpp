// SPDX-License-Identifier: Apache-2.0

// The stealing deque without contention: budgets in src/sched/steal_deque.hpp.
#include "sched/steal_deque.hpp"

#include <benchmark/benchmark.h>

namespace {

using weir::sched::StealDeque;

constexpr StealDeque::Item kItem = 64;
constexpr std::uint32_t kItems = 64;

void push_then_pop(benchmark::State& state) {
  StealDeque deque;
  for (auto _ : state) {
    benchmark::DoNotOptimize(deque.push(kItem));
    benchmark::DoNotOptimize(deque.pop());
  }
}
BENCHMARK(push_then_pop);

void pop_of_an_empty_deque(benchmark::State& state) {
  StealDeque deque;
  for (auto _ : state) benchmark::DoNotOptimize(deque.pop());
}
BENCHMARK(pop_of_an_empty_deque);

// Fills the deque and takes all of it in batches: per item, pushing included.
void push_then_steal_in_batches(benchmark::State& state) {
  StealDeque deque;
  StealDeque::Batch batch{};
  for (auto _ : state) {
    for (std::uint32_t i = 0; i < kItems; ++i) benchmark::DoNotOptimize(deque.push(kItem));
    for (std::uint32_t taken = 0; taken < kItems;) taken += deque.steal(batch);
  }
  state.SetItemsProcessed(state.iterations() * kItems);
}
BENCHMARK(push_then_steal_in_batches);

}  // namespace
