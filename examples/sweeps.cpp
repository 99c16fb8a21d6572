// SPDX-License-Identifier: Apache-2.0

// Sweeps over the same arrays, each a loop: with a LoopAffinity a worker gets again the part that it had in the sweep
// before, which is in its caches, and in memory near to it when it has touched it first. No footprints, so all of a
// sweep has ended before the next begins.
#include <weir/weir.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <utility>

int main() {
  weir::Runtime runtime;
  constexpr int kPoints = 200'000, kSweeps = 100;
  // A bar that is hot at its left end. Not initialised here, or all of it would be near to this thread.
  auto now = std::make_unique_for_overwrite<double[]>(kPoints),
       next = std::make_unique_for_overwrite<double[]>(kPoints);

  weir::LoopAffinity affinity;
  weir::parallel_for(0, kPoints, 0, affinity, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) now[i] = next[i] = i == 0 ? 1 : 0;
  });
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    weir::parallel_for(0, kPoints, 0, affinity, [&](int begin, int end) {
      for (int i = std::max(begin, 1); i < std::min(end, kPoints - 1); ++i)
        next[i] = now[i] + (now[i - 1] - 2 * now[i] + now[i + 1]) / 4;
    });
    std::swap(now, next);
  }
  const double expected = std::erfc(10 / std::sqrt(double{kSweeps}));  // of a bar without an end
  std::printf("after %d sweeps point 10 is at %.3f, and erfc says %.3f\n", kSweeps, now[10], expected);
  return std::abs(now[10] - expected) < 0.005 ? 0 : 1;
}
