// SPDX-License-Identifier: Apache-2.0

// An array over ranks that the program shows now and then. On the way to where a checkpoint was made it leaves that
// out: weir run -n 2 --checkpoint ck --checkpoint-every 0 example_ranks_show, and then with --restart ck.
#include <cstdio>
#include <span>
#include <vector>

#include "weir/ranks.hpp"

int main() {
  constexpr std::size_t kCells = 1 << 16, kTile = 1 << 12;
  weir::Ranks ranks;
  const auto a = weir::Array<double, 1>::distribute(ranks, {kCells}, {kTile}, weir::block_cyclic(ranks.size()), "a");
  std::vector<double> all(ranks.rank() == 0 ? kCells : 0);
  for (int step = 0; step < 10; ++step) {
    for (std::size_t i = 0; i < kCells / kTile; ++i) {
      ranks.spawn(weir::out(a.tile(i)), [step, i](std::span<double> x) {
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = step + static_cast<double>(i * kTile + k) / kCells;
      });
    }
    const bool shows = step % 4 == 3 && !ranks.is_restarting();  // which is false after the wait of the checkpoint
    if (shows) gather(ranks, a, all.data());
    ranks.wait();
    if (shows && ranks.rank() == 0) std::printf("step %d: %g to %g\n", step, all.front(), all.back());
  }
}
