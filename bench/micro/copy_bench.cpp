// SPDX-License-Identifier: Apache-2.0

// What a copied byte costs with ordinary stores and with stores around the caches, and what it costs whoever reads the
// copy next. Every copy is of memory that is in no cache, as a mover's is.
// docs/tuning/memory.md#copies-around-the-caches
#include <benchmark/benchmark.h>

#include <cstring>

#include "memory/copy.hpp"
#include "platform/pages.hpp"
#include "platform/stream_kernels.hpp"

namespace {

constexpr std::size_t kTotal = std::size_t{256} << 20;

std::byte* memory() {
  static const auto pages = weir::platform::Pages::map({2 * kTotal}, std::nullopt).value();
  [[maybe_unused]] static void* const touched = std::memset(pages.data(), 1, 2 * kTotal);
  return static_cast<std::byte*>(pages.data());
}

// Copies a block after the other through the whole memory; `after` sees each copy.
template <class Copy, class After>
void blocks(benchmark::State& state, Copy copy, After after) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  std::byte* const from = memory();
  std::byte* const to = from + kTotal;
  std::size_t at = 0;
  for (auto _ : state) {
    copy(to + at, from + at, bytes);
    after(to + at, bytes);
    at = at + 2 * bytes <= kTotal ? at + bytes : 0;
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void ordinary(std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
void around(std::byte* to, const std::byte* from, std::size_t bytes) {
  weir::platform::stream_kernels().copy_bytes(to, from, bytes);
}
void nothing(const std::byte*, std::size_t) {}
void read(const std::byte* copy, std::size_t bytes) {
  benchmark::DoNotOptimize(
      weir::platform::stream_kernels().sum(reinterpret_cast<const double*>(copy), bytes / sizeof(double)));
}

void BM_OrdinaryStores(benchmark::State& state) { blocks(state, ordinary, nothing); }
void BM_AroundTheCaches(benchmark::State& state) { blocks(state, around, nothing); }
void BM_OrdinaryStoresThenRead(benchmark::State& state) { blocks(state, ordinary, read); }
void BM_AroundTheCachesThenRead(benchmark::State& state) { blocks(state, around, read); }
BENCHMARK(BM_OrdinaryStores)->RangeMultiplier(4)->Range(4 << 10, 64 << 20);
BENCHMARK(BM_AroundTheCaches)->RangeMultiplier(4)->Range(4 << 10, 64 << 20);
BENCHMARK(BM_OrdinaryStoresThenRead)->RangeMultiplier(4)->Range(4 << 10, 64 << 20);
BENCHMARK(BM_AroundTheCachesThenRead)->RangeMultiplier(4)->Range(4 << 10, 64 << 20);

// A tile of a matrix of 8192 columns: rows of so many bytes.
template <class Copy>
void tiles(benchmark::State& state, Copy copy) {
  const auto row = static_cast<std::size_t>(state.range(0));
  constexpr std::ptrdiff_t kPitch = 65536;
  const std::size_t rows = (std::size_t{8} << 20) / row;
  std::byte* const packed = memory() + kTotal;
  std::size_t tile = 0;
  for (auto _ : state) {
    std::byte* const corner = memory() + tile * row % kPitch;
    for (std::size_t i = 0; i < rows; ++i) {
      copy(packed + i * row, corner + static_cast<std::ptrdiff_t>(i % (kTotal / kPitch - 1)) * kPitch, row);
    }
    ++tile;
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(rows * row));
}

void BM_TileOrdinary(benchmark::State& state) { tiles(state, ordinary); }
void BM_TileAround(benchmark::State& state) { tiles(state, around); }
BENCHMARK(BM_TileOrdinary)->RangeMultiplier(4)->Range(256, 16 << 10);
BENCHMARK(BM_TileAround)->RangeMultiplier(4)->Range(256, 16 << 10);

void BM_CopyBandwidthOfTheMachine(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["GB/s"] = weir::memory::copy_bandwidth(static_cast<unsigned>(state.range(0))) / 1e9;
  }
}
BENCHMARK(BM_CopyBandwidthOfTheMachine)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

}  // namespace
