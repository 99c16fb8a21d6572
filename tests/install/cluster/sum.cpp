// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <numeric>
#include <weir/ranks.hpp>

int main() {
  weir::Ranks ranks;
  auto numbers = weir::Array<int, 1>::distribute(ranks, {100}, {10}, weir::block_cyclic(ranks.size()), "numbers");
  int sum = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    ranks.spawn(weir::out(numbers.tile(i)), [i](std::span<int> v) { std::iota(v.begin(), v.end(), int(i) * 10); });
    ranks.spawn(weir::on_rank(0), weir::in(numbers.tile(i)), weir::inout(sum),
                [](std::span<const int> v, int& to) { to = std::accumulate(v.begin(), v.end(), to); });
  }
  ranks.wait();
  if (ranks.rank() == 0) std::printf("%d ranks: %d\n", ranks.size(), sum);
}
