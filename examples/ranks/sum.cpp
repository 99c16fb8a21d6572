// SPDX-License-Identifier: Apache-2.0

// A sum over all ranks: each adds up what its own tiles hold, and sends one number.
#include <cstdio>
#include <functional>
#include <numeric>
#include <weir/ranks.hpp>

int main() {
  weir::Ranks ranks;
  const std::size_t n = 1 << 20, tile = 1 << 14;
  auto x = weir::Array<double, 1>::distribute(ranks, {n}, {tile}, weir::block_cyclic(ranks.size()), "x");
  auto sum = weir::Array<double, 1>::distribute(ranks, {1}, {1}, weir::block_cyclic(1), "sum");
  ranks.spawn(weir::out(sum.tile(0)), [](std::span<double> s) { s[0] = 0; });
  for (std::size_t i = 0; i < n / tile; ++i) {
    ranks.spawn(weir::out(x.tile(i)), [](std::span<double> v) { std::iota(v.begin(), v.end(), 1.0); });
    ranks.spawn(
        weir::in(x.tile(i)), weir::reduce(sum.tile(0), std::plus<>(), 0),
        [](std::span<const double> v, std::span<double> s) { s[0] = std::accumulate(v.begin(), v.end(), s[0]); });
  }
  ranks.spawn(weir::in(sum.tile(0)), [](std::span<const double> s) { std::printf("%.0f\n", s[0]); });
  ranks.wait();
}
