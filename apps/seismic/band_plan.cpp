// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/band_plan.hpp"

#include <algorithm>

namespace weir::apps::seismic {
namespace {

constexpr Index kLeastRows = 8;

Index parts(Index whole, Index part) { return (whole + part - 1) / part; }

// Bands that are held while so many layers go down the grid: theirs, those that come next, those on their way out.
Index bands_held(Index layers) { return kBandsPerLayer * layers + 4; }

// Layers [begin, end) go down the grid together, each three bands behind the one before.
void add_pass(std::vector<BandTask>& tasks, const BandLayout& layout, const std::vector<BandTask>& layers,
              std::size_t begin, std::size_t end) {
  const auto lag = static_cast<Index>(end - begin - 1) * kBandsPerLayer;
  for (Index step = 0; step <= layout.bands() + lag; ++step) {
    for (std::size_t layer = begin; layer < end; ++layer) {
      BandTask task = layers[layer];
      task.band = step - static_cast<Index>(layer - begin) * kBandsPerLayer;
      const bool reaches_grid = layout.first_row(task.band) - (task.iterations - 1) < layout.rows;
      if (task.band >= 0 && task.band <= layout.bands() && reaches_grid) tasks.push_back(task);
    }
  }
}

}  // namespace

std::vector<BandTask> plan_bands(const BandLayout& layout, Index first, Index count, int workers, Index bands_at_hand) {
  const Index least = parts(count, layout.band_rows);
  const Index count_of_layers = std::min(count, parts(least, workers) * workers);
  std::vector<BandTask> layers;
  for (Index i = 0; i < count_of_layers; ++i) {
    const Index begin = i * count / count_of_layers, end = (i + 1) * count / count_of_layers;
    layers.push_back({0, first + begin, end - begin});
  }
  Index in_pass = 1;
  while (in_pass < count_of_layers && bands_held(in_pass + 1) <= bands_at_hand) ++in_pass;
  const Index passes = count == 0 ? 0 : parts(count_of_layers, in_pass);
  std::vector<BandTask> tasks;
  for (Index pass = 0; pass < passes; ++pass) {
    add_pass(tasks, layout, layers, static_cast<std::size_t>(pass * count_of_layers / passes),
             static_cast<std::size_t>((pass + 1) * count_of_layers / passes));
  }
  return tasks;
}

BandLayout choose_bands(Index rows, Index cols, Index most, int workers, std::uint64_t fast_bytes) {
  BandLayout layout = band_layout(rows, cols, most);
  while (layout.band_rows > kLeastRows && layout.total_bytes() > fast_bytes &&
         static_cast<std::uint64_t>(bands_held(workers)) * layout.band_bytes() > fast_bytes) {
    layout = band_layout(rows, cols, std::max(kLeastRows, layout.band_rows / 2));
  }
  return layout;
}

}  // namespace weir::apps::seismic
