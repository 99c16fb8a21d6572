// SPDX-License-Identifier: Apache-2.0

// What the dependence analysis costs, alone: nanoseconds per footprint item, with a graph that only counts.
//
// Instructions: valgrind --tool=callgrind --toggle-collect='*bench_loop*' deps_bench --benchmark_filter=NAME
// --benchmark_min_time=0.002 runs one iteration: divide by the items that measure() is given; the loop and the graph
// take about 28 for each task. Budgets are in src/deps/block_map.hpp.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <vector>

#include "deps/block_map.hpp"

namespace {

using namespace weir;
using namespace weir::deps;

// As cheap as a graph can be. Of the last `window` nodes none has finished, all others have.
class CountingGraph {
 public:
  explicit CountingGraph(std::uint64_t window) : window_(window) {}

  NodeRef task() { return {&nodes_[++made_ % nodes_.size()], made_}; }
  bool finished(NodeRef ref) const { return made_ - ref.generation >= window_; }
  bool add_edge(NodeRef before, NodeRef) {
    if (finished(before)) return false;
    ++edges_;
    return true;
  }
  NodeRef make_join() { return task(); }
  void seal_join(NodeRef) {}
  void* make_lock() { return this; }
  void release_lock(void*) {}
  void commutative(NodeRef, void*) {}
  OpenedReduction open_reduction(const Access&) { return {this, task()}; }
  void join_reduction(NodeRef, void*) {}
  std::uint64_t edges() const { return edges_; }

 private:
  struct alignas(64) Node {};
  std::array<Node, 1024> nodes_;
  std::uint64_t window_;
  std::uint64_t made_ = 0;
  std::uint64_t edges_ = 0;
};

// One pass over `footprints`, each a task's, `width` items long.
[[gnu::noinline]] void bench_loop(BlockMap& map, CountingGraph& graph, const std::vector<Access>& items,
                                  std::size_t width) {
  for (std::size_t i = 0; i < items.size(); i += width) map.analyse(graph, graph.task(), {&items[i], width});
}

void report(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
  state.counters["per_item"] = benchmark::Counter(
      static_cast<double>(items), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void measure(benchmark::State& state, const std::vector<Access>& items, std::size_t width, std::uint64_t window = 512) {
  BlockMap map;
  CountingGraph graph(window);
  for (auto _ : state) bench_loop(map, graph, items, width);
  report(state, items.size());
  const double items_analysed = static_cast<double>(state.iterations()) * static_cast<double>(items.size());
  state.counters["edges_per_item"] = static_cast<double>(graph.edges()) / items_analysed;
  map.reset(graph);
}

void BM_chain_on_one_object(benchmark::State& state) {
  double x;
  measure(state, std::vector<Access>(4096, inout(x).access), 1);
}

void BM_chains_on_64_objects(benchmark::State& state) {
  std::array<double, 64> x;
  std::vector<Access> items;
  for (std::size_t i = 0; i < 4096; ++i) items.push_back(inout(x[i % 64]).access);
  measure(state, items, 1);
}

void BM_chain_on_one_block(benchmark::State& state) {
  std::vector<double> x(1024);
  Watched<double> watched(x.data(), x.size(), 64);
  measure(state, std::vector<Access>(4096, inout(watched.block(3)).access), 1);
}

// Each task writes a block and reads those above and to the left of it.
void BM_wavefront(benchmark::State& state) {
  constexpr std::size_t kBlocks = 64, kSide = 8;
  std::vector<double> x(kBlocks * kSide * kBlocks * kSide);
  Watched<double> watched(x.data(), kBlocks * kSide, kBlocks * kSide, kBlocks * kSide, kSide, kSide);
  std::vector<Access> items;
  for (std::size_t r = 1; r < kBlocks; ++r)
    for (std::size_t c = 1; c < kBlocks; ++c) {
      items.push_back(in(watched.tile((r - 1) * kSide, c * kSide, kSide, kSide)).access);
      items.push_back(in(watched.tile(r * kSide, (c - 1) * kSide, kSide, kSide)).access);
      items.push_back(inout(watched.tile(r * kSide, c * kSide, kSide, kSide)).access);
    }
  measure(state, items, 3);
}

// A step of a stencil: writes its block of one array, reads three of another.
void BM_stencil_four_items(benchmark::State& state) {
  constexpr std::size_t kBlocks = 1024, kBlock = 64;
  std::vector<double> a(kBlocks * kBlock), b(kBlocks * kBlock);
  const Watched<double> arrays[] = {{a.data(), a.size(), kBlock}, {b.data(), b.size(), kBlock}};
  std::vector<Access> items;
  for (std::size_t step = 0; step < 2; ++step)
    for (std::size_t i = 1; i + 1 < kBlocks; ++i) {
      for (std::size_t j = i - 1; j <= i + 1; ++j) items.push_back(in(arrays[step].block(j)).access);
      items.push_back(out(arrays[1 - step].block(i)).access);
    }
  measure(state, items, 4);
}

// Memory that is never named again.
void BM_fresh_objects(benchmark::State& state) {
  BlockMap map;
  CountingGraph graph(512);
  std::vector<Access> items(4096);
  std::byte* next = nullptr;
  for (auto _ : state) {
    for (Access& item : items) item = inout(next += 64, 64).access;
    bench_loop(map, graph, items, 1);
  }
  report(state, items.size());
  state.counters["map_bytes"] = static_cast<double>(map.memory_bytes());
  map.reset(graph);
}

// Steps of a task graph eight wide: each task writes a buffer of its step and reads `kReads` of the step before. The
// buffers are new in every step, or those of two steps ago; the one minus the other is what naming new memory costs.
// New buffers lie as `layout` says, none is touched.
enum class Layout { by_step, by_column, scattered };

template <std::size_t kReads, bool kFresh, Layout kLayout = Layout::by_step>
void BM_steps(benchmark::State& state) {
  constexpr std::size_t kWidth = 8, kSteps = 512, kBytes = 64;
  BlockMap map;
  CountingGraph graph(256);
  std::vector<Access> items;
  std::uint64_t step = 0;
  const auto buffer = [&](std::uint64_t of_step, std::size_t column) {
    std::uint64_t place = kFresh ? of_step * kWidth + column : of_step % 2 * kWidth + column;
    if (kFresh && kLayout == Layout::by_column) place = (column << 32) + of_step;
    if (kFresh && kLayout == Layout::scattered) place = place * 0x9E3779B97F4A7C15u >> 20;
    return reinterpret_cast<std::byte*>((std::uintptr_t{1} << 52) + place * kBytes);
  };
  for (auto _ : state) {
    items.clear();
    for (std::size_t s = 0; s < kSteps; ++s, ++step) {
      for (std::size_t c = 0; c < kWidth; ++c) {
        for (std::size_t r = 0; r < kReads; ++r) items.push_back(in(buffer(step, (c + r) % kWidth), kBytes).access);
        items.push_back(out(buffer(step + 1, c), kBytes).access);
      }
    }
    bench_loop(map, graph, items, kReads + 1);
  }
  const double tasks = static_cast<double>(kSteps * kWidth);
  state.counters["per_task"] =
      benchmark::Counter(tasks, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["map_bytes"] = static_cast<double>(map.memory_bytes());
  map.reset(graph);
}

// A tile of 64 rows in an array that is not watched: 64 ranges.
void BM_unwatched_tile_of_64_rows(benchmark::State& state) {
  std::vector<double> x(64 * 256);
  std::vector<Access> items;
  for (std::size_t i = 0; i < 256; ++i) {
    Access tile = inout(&x[i % 8 * 32], 32).access;
    tile.region.rows = 64;
    tile.region.stride_bytes = 256 * sizeof(double);
    items.push_back(tile);
  }
  measure(state, items, 1);
}

// First touch of one block of an array of a million.
void BM_first_touch_of_a_million_blocks(benchmark::State& state) {
  const auto memory = reinterpret_cast<double*>(std::uintptr_t{1} << 40);
  CountingGraph graph(512);
  for (auto _ : state) {
    BlockMap map;
    Watched<double> watched(memory, std::size_t{64} << 20, 64);
    const Access item = inout(watched.block(500'000)).access;
    map.analyse(graph, graph.task(), {&item, 1});
    map.reset(graph);
  }
}

BENCHMARK(BM_chain_on_one_object);
BENCHMARK(BM_chains_on_64_objects);
BENCHMARK(BM_chain_on_one_block);
BENCHMARK(BM_wavefront);
BENCHMARK(BM_stencil_four_items);
BENCHMARK(BM_fresh_objects);
BENCHMARK(BM_steps<1, false>);
BENCHMARK(BM_steps<1, true>);
BENCHMARK(BM_steps<3, false>);
BENCHMARK(BM_steps<3, true>);
BENCHMARK(BM_steps<3, true, Layout::by_column>);
BENCHMARK(BM_steps<3, true, Layout::scattered>);
BENCHMARK(BM_unwatched_tile_of_64_rows);
BENCHMARK(BM_first_touch_of_a_million_blocks);

}  // namespace
