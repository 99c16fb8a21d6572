// SPDX-License-Identifier: Apache-2.0

// Sums that have the same bits whether checkpoints are written or not.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "multi/cluster/bodies.hpp"
#include "weir/ranks.hpp"

namespace weir::cluster::multi {
namespace {

// Sums of numbers that are rounded, by tasks of all ranks, over several waits. A tile's newest version is not on its
// owner.
void rounded_sums() {
  constexpr std::size_t kCount = 12;
  Ranks ranks;
  const int n = ranks.size();
  const auto sums = Array<double, 1>::distribute(ranks, {kCount}, {1}, block_cyclic(n), "sums");
  for (std::size_t i = 0; i < kCount; ++i)
    ranks.spawn(on_rank((static_cast<int>(i) + 1) % n), out(sums.tile(i)), [](std::span<double> s) { s[0] = 0.1; });
  for (int step = 0; step < 6; ++step) {
    for (int k = 0; k < 4 * n; ++k) {
      for (std::size_t i = 0; i < kCount; ++i) {
        const double more = 1.0 / (3.0 + double(k) + double(7 * step) + double(100 * i));
        ranks.spawn(on_rank(k % n), reduce(sums.tile(i), std::plus<>(), 0),
                    [more](std::span<double> s) { s[0] += more; });
      }
    }
    if (step == 2)
      ranks.checkpoint();
    else
      ranks.wait();
  }
  std::vector<double> all(kCount);
  gather(ranks, sums, all.data(), 0);
  ranks.barrier();
  if (ranks.rank() != 0) return;
  std::string line = "sums";
  for (const double sum : all) line += fmt::format(" {:a}", sum);
  std::printf("%s\n", line.c_str());
}

const Named kRoundedSums("rounded-sums", rounded_sums);

}  // namespace
}  // namespace weir::cluster::multi
