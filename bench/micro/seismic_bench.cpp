// SPDX-License-Identifier: Apache-2.0

// apps/seismic/sweep.hpp: what a sweep of a band costs one thread, on the arrays of the whole grid (`weir`,
// `weir-bands`) and on bands apart from each other (`weir-blocks`, `ocr`). Same cells, same operations: the second
// differs in where rows are and in how the kernels find them.
#include <benchmark/benchmark.h>

#include <cstring>

#include "apps/common/caches.hpp"
#include "apps/seismic/band_plan.hpp"
#include "apps/seismic/earth.hpp"
#include "apps/seismic/kernels.hpp"
#include "apps/seismic/layout.hpp"
#include "apps/seismic/problem.hpp"
#include "platform/pages.hpp"

namespace {

using namespace weir::apps::seismic;

constexpr Index kRows = 1024, kCols = 8192;

const Tiling& tiling() {
  static const Tiling chosen = choose_tiling({}, weir::apps::find_caches(), 8192, 2);
  return chosen;
}
BandLayout layout() { return band_layout(kRows, kCols, tiling().rows); }

Problem& problem() {
  static Problem made = Problem::create(*layered_earth(kRows, kCols), 1).value();
  return made;
}

// The grid of problem() in bands: state, ground, state, ground and so on, each from a new page.
class Apart {
 public:
  Apart() : layout_(layout()) {
    std::memset(pages_.data(), 0, static_cast<std::size_t>(pages_.size().count));
    const Fields& f = problem().fields();
    const double* const ground[] = {f.material, f.damping, f.inverse_density};
    for (Index y = 0; y < kRows; ++y) {
      const Index band = y / layout_.band_rows;
      for (int i = 0; i < 3; ++i) {
        double* const to = block(2 * band + 1) + layout_.ground_offset(i) + (y - layout_.first_row(band)) * f.stride;
        std::memcpy(to, ground[i] + y * f.stride, static_cast<std::size_t>(kCols) * sizeof(double));
      }
    }
  }

  // As a task on a band that has one above and one below gets them.
  Bands bands(Index band) {
    return {{block(2 * (band - 1)) + layout_.state_offset(0), block(2 * band) + layout_.state_offset(0)},
            {block(2 * (band - 1) + 1) + layout_.ground_offset(0), block(2 * band + 1) + layout_.ground_offset(0)},
            nullptr,  // no row above that one
            block(2 * (band + 1)) + layout_.state_offset(0),
            {layout_.first_row(band - 1), layout_.first_row(band)},
            layout_.end_row(band),
            kRows,
            kCols,
            layout_.stride,
            layout_.array()};
  }

 private:
  static constexpr std::size_t kPage = 4096;
  std::size_t block_bytes() const { return (layout_.ground_doubles() * sizeof(double) + kPage - 1) / kPage * kPage; }
  double* block(Index number) {
    return reinterpret_cast<double*>(static_cast<std::byte*>(pages_.data()) +
                                     static_cast<std::size_t>(number) * block_bytes());
  }

  BandLayout layout_;
  weir::platform::Pages pages_ =
      weir::platform::Pages::map({2 * static_cast<std::size_t>(layout_.bands()) * block_bytes()}, std::nullopt).value();
};

constexpr Source kSilent = {-1, 0, nullptr};  // all stays zero, so that no number is ever denormal

// Bands 1, 2 and so on but the last, again and again; time is that of a band.
template <class SweepBand>
void sweep_bands(benchmark::State& state, SweepBand sweep_band) {
  const BandLayout bands = layout();
  BandTask task{1, 0, tiling().iterations};
  for (auto _ : state) {
    sweep_band(bands, task);
    task.band = task.band + 2 < bands.bands() ? task.band + 1 : 1;
  }
  state.SetItemsProcessed(state.iterations() * bands.band_rows * kCols * task.iterations);
}

void BM_SweepOfWholeGrid(benchmark::State& state) {
  sweep_bands(state, [&](const BandLayout& bands, const BandTask& task) {
    for_each_sweep(bands, tiling(), task,
                   [&](const Sweep& w) { best_kernels().sweep(problem().fields(), kSilent, w); });
  });
}

void BM_SweepOfBandsApart(benchmark::State& state) {
  static Apart apart;
  sweep_bands(state, [&](const BandLayout& bands, const BandTask& task) {
    const Bands grid = apart.bands(task.band);
    for_each_sweep(bands, tiling(), task, [&](const Sweep& w) { best_kernels().sweep_bands(grid, kSilent, w); });
  });
}

BENCHMARK(BM_SweepOfWholeGrid)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SweepOfBandsApart)->Unit(benchmark::kMillisecond);

}  // namespace
