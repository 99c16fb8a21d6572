// SPDX-License-Identifier: Apache-2.0

// What a task of three tiles costs whoever finds the order, from 1,000 to 1,000,000 tasks in flight: analysis and
// release in the graph of an island's master, alone; and on threads, from spawn() to the end of an empty function, by
// one worker.
//
// The tasks are those of a product of matrices by tiles: two are read, one is updated, and every tile is named by many.
#include <benchmark/benchmark.h>

#include <vector>

#include "island/graph.hpp"
#include "weir/weir.hpp"

namespace {

using weir::Access;

constexpr std::size_t kTile = 16;

// side^3 footprints.
struct Product {
  explicit Product(std::size_t tiles)
      : side(tiles), n(side * kTile), memory(3 * n * n), a(watched(0)), b(watched(1)), c(watched(2)) {}

  weir::Watched<float> watched(std::size_t which) {
    return weir::Watched<float>(memory.data() + which * n * n, n, n, n, kTile, kTile);
  }
  // Calls f(in, in, inout) for each task.
  template <class F>
  void for_each(F&& f) const {
    const auto tile = [](const weir::Watched<float>& of, std::size_t row, std::size_t col) {
      return of.tile(row * kTile, col * kTile, kTile, kTile);
    };
    for (std::size_t i = 0; i < side; ++i)
      for (std::size_t j = 0; j < side; ++j)
        for (std::size_t k = 0; k < side; ++k)
          f(weir::in(tile(a, i, k)), weir::in(tile(b, k, j)), weir::inout(tile(c, i, j)));
  }
  std::int64_t tasks() const { return static_cast<std::int64_t>(side * side * side); }

  std::size_t side, n;
  std::vector<float> memory;
  weir::Watched<float> a, b, c;
};

void per_task(benchmark::State& state, std::int64_t tasks) {
  state.counters["per_task"] = benchmark::Counter(
      static_cast<double>(tasks), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// All are analysed before the first is released, in the order in which they become ready.
void analyse_and_release(benchmark::State& state) {
  const Product product(static_cast<std::size_t>(state.range(0)));
  weir::island::TaskGraph graph;
  for (auto _ : state) {
    product.for_each([&](const Access& x, const Access& y, const Access& z) {
      const Access footprint[] = {x, y, z};
      graph.submit(graph.make_task(), footprint);
    });
    while (weir::island::TaskNode* const task = graph.take_ready()) graph.release(*task);
  }
  per_task(state, product.tasks());
}

// The same on threads: nothing runs before all are spawned, as the one worker spawns.
void spawn_and_run(benchmark::State& state) {
  weir::Options options;
  options.workers = 1;
  options.throttle = 0;
  options.explain = weir::Explain::off;
  weir::Runtime runtime(options);
  const Product product(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    product.for_each([&](const auto& x, const auto& y, const auto& z) { runtime.spawn(x, y, z, [] {}); });
    runtime.wait();
  }
  per_task(state, product.tasks());
}

BENCHMARK(analyse_and_release)->ArgName("side")->Arg(10)->Arg(22)->Arg(46)->Arg(100);
BENCHMARK(spawn_and_run)->ArgName("side")->Arg(10)->Arg(22)->Arg(46)->Arg(100);

}  // namespace
