// SPDX-License-Identifier: Apache-2.0

// Heat in a plate over the ranks of a job: each band of rows is a tile of the rank that owns it, and what a task reads
// of a neighbour's band is sent ahead of it. Started bare, or as `weir run -n 4 example_ranks_heat`.
#include <cstdio>
#include <span>
#include <vector>

#include "weir/ranks.hpp"

namespace {

constexpr std::size_t kRows = 512, kCols = 512, kBands = 8, kBand = kRows / kBands;
constexpr int kSteps = 20;

// Bands of the plate, and the first and last row of each by itself, which is all that neighbours need.
struct Plate {
  weir::Array<double, 2> inner, edges;
};

Plate make_plate(weir::Ranks& ranks, const char* name) {
  const weir::Distribution by_band = weir::bands(ranks.size(), kBands);
  return {weir::Array<double, 2>::distribute(ranks, {kRows, kCols}, {kBand, kCols}, by_band, name),
          weir::Array<double, 2>::distribute(ranks, {kBands * 2, kCols}, {2, kCols}, by_band, "edges")};
}

double at_start(std::size_t row, std::size_t col) { return row == 0 || col == 0 ? 100.0 : 0.0; }

void copy_edges(weir::View2D<double> band, weir::View2D<double> edges) {
  for (std::size_t col = 0; col < kCols; ++col) {
    edges(0, col) = band(0, col);
    edges(1, col) = band(kBand - 1, col);
  }
}

double mean_of_four(double up, double down, double left, double right) { return (up + down + left + right) / 4; }

// One step of a band, whose rows above and below are its neighbours' edges; the plate's rim stays as it is.
void step(std::size_t band, weir::View2D<const double> from, const double* above, const double* below,
          weir::View2D<double> to, weir::View2D<double> edges) {
  for (std::size_t row = 0; row < kBand; ++row) {
    const double* const up = row == 0 ? above : from.row(row - 1);
    const double* const down = row + 1 == kBand ? below : from.row(row + 1);
    for (std::size_t col = 0; col < kCols; ++col) {
      const bool rim = up == nullptr || down == nullptr || col == 0 || col + 1 == kCols;
      to(row, col) = rim ? at_start(band * kBand + row, col)
                         : mean_of_four(up[col], down[col], from(row, col - 1), from(row, col + 1));
    }
  }
  copy_edges(to, edges);
}

void spawn_step(weir::Ranks& ranks, const Plate& from, const Plate& to, std::size_t band) {
  std::vector<weir::Access> near;  // edges of the neighbours
  if (band > 0) near.push_back(weir::in(from.edges.tile(band - 1, 0)));
  if (band + 1 < kBands) near.push_back(weir::in(from.edges.tile(band + 1, 0)));
  ranks.spawn(weir::in(from.inner.tile(band, 0)), near, weir::out(to.inner.tile(band, 0)),
              weir::out(to.edges.tile(band, 0)), weir::name("step"),
              [band](weir::View2D<const double> mine, weir::Items items, weir::View2D<double> next,
                     weir::View2D<double> edges) {
                const double* const above = band > 0 ? items[0].view<const double>().row(1) : nullptr;
                const double* const below =
                    band + 1 < kBands ? items[items.size() - 1].view<const double>().row(0) : nullptr;
                step(band, mine, above, below, next, edges);
              });
}

std::vector<double> one_after_the_other() {
  std::vector<double> from(kRows * kCols), to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = at_start(i / kCols, i % kCols);
  for (int s = 0; s < kSteps; ++s) {
    to = from;
    for (std::size_t row = 1; row + 1 < kRows; ++row) {
      for (std::size_t i = row * kCols + 1; i + 1 < (row + 1) * kCols; ++i)
        to[i] = mean_of_four(from[i - kCols], from[i + kCols], from[i - 1], from[i + 1]);
    }
    from.swap(to);
  }
  return from;
}

}  // namespace

int main() {
  weir::Ranks ranks;
  const Plate plates[2] = {make_plate(ranks, "even"), make_plate(ranks, "odd")};
  for (std::size_t band = 0; band < kBands; ++band) {
    ranks.spawn(weir::out(plates[0].inner.tile(band, 0)), weir::out(plates[0].edges.tile(band, 0)),
                [band](weir::View2D<double> first, weir::View2D<double> edges) {
                  for (std::size_t row = 0; row < kBand; ++row)
                    for (std::size_t col = 0; col < kCols; ++col) first(row, col) = at_start(band * kBand + row, col);
                  copy_edges(first, edges);
                });
  }
  for (int s = 0; s < kSteps; ++s)
    for (std::size_t band = 0; band < kBands; ++band) spawn_step(ranks, plates[s % 2], plates[(s + 1) % 2], band);

  std::vector<double> found(ranks.rank() == 0 ? kRows * kCols : 0);
  gather(ranks, plates[kSteps % 2].inner, found.data());
  ranks.barrier();
  if (ranks.rank() != 0) return 0;
  const bool is_right = found == one_after_the_other();
  std::printf("heat on %d ranks: %s\n", ranks.size(), is_right ? "as by one loop" : "WRONG");
  return is_right ? 0 : 1;
}
