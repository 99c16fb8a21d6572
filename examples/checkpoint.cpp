// SPDX-License-Identifier: Apache-2.0

// A run that can be killed: `WEIR_CHECKPOINT=DIR ./checkpoint`, and later `WEIR_RESTART=DIR ./checkpoint`, which prints
// the same to the last bit.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <weir/weir.hpp>

constexpr std::size_t kCells = 1 << 12, kTile = 1 << 9, kTiles = kCells / kTile;

int main() {
  weir::Runtime runtime;
  weir::Array<double, 1> now(runtime, {kCells}, {kTile}, "now"), next(runtime, {kCells}, {kTile}, "next");
  double change = 1;
  const weir::Keep kept(runtime, "change", change);  // tasks write it, and it decides how many of them there are

  for (std::size_t i = 0; i < kTiles; ++i) {
    runtime.spawn(weir::out(now.tile(i)),
                  [i](std::span<double> x) { std::fill(x.begin(), x.end(), i == 0 ? 1.0 : 0.0); });
  }
  int sweeps = 0;
  for (; change > 1e-4 && sweeps < 2000; ++sweeps) {
    change = 0;
    for (std::size_t i = 0; i < kTiles; ++i) {
      runtime.spawn(weir::in(now.tile(i == 0 ? 0 : i - 1)), weir::in(now.tile(i)),
                    weir::in(now.tile(i + 1 == kTiles ? i : i + 1)), weir::out(next.tile(i)),
                    [](std::span<const double> left, std::span<const double> x, std::span<const double> right,
                       std::span<double> y) {
                      for (std::size_t k = 0; k < kTile; ++k) {
                        const double l = k == 0 ? left.back() : x[k - 1], r = k + 1 == kTile ? right.front() : x[k + 1];
                        y[k] = x[k] + (l - 2 * x[k] + r) / 4;
                      }
                    });
      runtime.spawn(weir::in(now.tile(i)), weir::in(next.tile(i)), weir::commutative(change),
                    [](std::span<const double> x, std::span<const double> y, double& most) {
                      for (std::size_t k = 0; k < kTile; ++k) most = std::max(most, std::abs(x[k] - y[k]));
                    });
    }
    runtime.wait();  // where checkpoints are made when it is time
    std::swap(now, next);
  }
  double sum = 0;
  const weir::Keep kept_sum(runtime, "sum", sum);
  for (std::size_t i = 0; i < kTiles; ++i) {
    runtime.spawn(weir::in(now.tile(i)), weir::inout(sum), [i](std::span<const double> x, double& to) {
      for (std::size_t k = 0; k < kTile; ++k) to += x[k] * static_cast<double>(i * kTile + k + 1);
    });
  }
  runtime.wait();
  std::printf("%d sweeps, %a\n", sweeps, sum);
}
