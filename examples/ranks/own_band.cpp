// SPDX-License-Identifier: Apache-2.0

// A rank that spawns those tasks only that concern it: what it spends does not grow with the number of ranks.
#include <weir/ranks.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main() {
  weir::Ranks ranks;
  const int tiles = ranks.size(), self = ranks.rank(), steps = 20;
  const std::size_t n = 1000, all = n * std::size_t(tiles);
  const weir::Array<long, 1> values[2] = {
      weir::Array<long, 1>::distribute(ranks, {all}, {n}, weir::block_cyclic(tiles), "even"),
      weir::Array<long, 1>::distribute(ranks, {all}, {n}, weir::block_cyclic(tiles), "odd")};
  // Its own tile, the one before, which it reads, and the one behind, whose task reads its own.
  const int first = std::max(0, self - 1), last = std::min(tiles - 1, self + 1);
  for (int tile = first; tile <= last; ++tile)
    ranks.spawn(weir::out(values[0].tile(tile)), [](std::span<long> v) { std::fill(v.begin(), v.end(), 1); });
  for (int step = 0; step < steps; ++step) {
    const auto &from = values[step % 2], &to = values[(step + 1) % 2];
    for (int tile = first; tile <= last; ++tile) {
      std::vector<weir::Access> before;
      if (tile > 0) before.push_back(weir::in(from.tile(tile - 1)));
      ranks.spawn(before, weir::in(from.tile(tile)), weir::out(to.tile(tile)),
                  [](weir::Items near, std::span<const long> mine, std::span<long> next) {
                    for (std::size_t i = 0; i < n; ++i)
                      next[i] = mine[i] + (near.size() > 0 ? near[0].span<const long>()[i] : 0);
                  });
    }
  }
  std::vector<long> expected(std::size_t(tiles), 1);
  for (int step = 0; step < steps; ++step)
    for (std::size_t tile = expected.size() - 1; tile > 0; --tile) expected[tile] += expected[tile - 1];
  ranks.spawn(weir::in(values[steps % 2].tile(self)), [&](std::span<const long> v) {
    if (v[0] == expected[std::size_t(self)] && v[n - 1] == v[0]) return;
    std::printf("tile %d has %ld, not %ld\n", self, v[0], expected[std::size_t(self)]);
    std::exit(1);
  });
  ranks.barrier();
}
