// SPDX-License-Identifier: Apache-2.0

// Data larger than fast memory: tasks get their blocks where they run, the rest waits in a file.
#include <weir/weir.hpp>

#include <algorithm>
#include <cstdio>

int main() {
  weir::Options options = weir::Options::from_environment();
  if (options.tiers.empty()) options.tiers = "memory=8MiB,file=/tmp:64MiB";  // or WEIR_TIERS
  weir::Runtime runtime(options);

  weir::Array<double, 2> a(runtime, {2048, 1024}, {256, 256}, "a");  // 16 MiB in tiles of 512 KiB
  for (std::size_t i = 0; i < a.tiles()[0]; ++i) {
    for (std::size_t j = 0; j < a.tiles()[1]; ++j) {
      runtime.spawn(weir::out(a.tile(i, j)), [=](weir::View2D<double> t) {
        for (std::size_t row = 0; row < t.rows(); ++row) std::fill_n(t.row(row), t.cols(), double(i + j));
      });
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < a.tiles()[0]; ++i) {
    for (std::size_t j = 0; j < a.tiles()[1]; ++j) {
      runtime.spawn(weir::in(a.tile(i, j)), weir::inout(sum),
                    [](weir::View2D<const double> t, double& s) { s += t(0, 0); });
    }
  }
  runtime.wait();
  const weir::TierStatistics moved = runtime.tier_statistics();
  std::printf("sum %g, %llu bytes fetched\n", sum, static_cast<unsigned long long>(moved.bytes_fetched));
  return sum == 160 ? 0 : 1;
}
