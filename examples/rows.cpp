// SPDX-License-Identifier: Apache-2.0

// Blocks of rows: a stencil without a barrier.
//
// Two watched grids, read and written in turn. Each task names the rows it reads and the rows it writes; from that
// alone Weir knows that a block of the next sweep may start as soon as its three neighbours of this one are done.
#include <weir/weir.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

constexpr std::size_t kSize = 512, kBlock = 64, kSweeps = 100;

using Grid = weir::Watched<double>;

void relax(const Grid& from, const Grid& to, std::size_t first, std::size_t last) {
  for (std::size_t y = first; y < last; ++y) {
    const double* row = from.data() + y * kSize;
    for (std::size_t x = 1; x + 1 < kSize; ++x) {
      to.data()[y * kSize + x] = (row[x - 1] + row[x + 1] + row[x - kSize] + row[x + kSize]) / 4;
    }
  }
}

double sum_after(bool with_tasks) {
  std::vector<double> a(kSize * kSize), b;
  std::fill_n(a.begin(), kSize, 1.0);  // the upper edge is warm
  b = a;
  const Grid grids[] = {{a.data(), kSize, kSize, kSize, kBlock, kSize}, {b.data(), kSize, kSize, kSize, kBlock, kSize}};
  weir::Runtime runtime;
  for (std::size_t sweep = 0; sweep < kSweeps; ++sweep) {
    const Grid &from = grids[sweep % 2], &to = grids[(sweep + 1) % 2];
    for (std::size_t block = 0; block < kSize; block += kBlock) {
      const std::size_t first = std::max<std::size_t>(block, 1), last = std::min(block + kBlock, kSize - 1);
      if (with_tasks) {
        runtime.spawn(weir::in(from.rows(first - 1, last - first + 2)), weir::inout(to.rows(first, last - first)),
                      weir::name("relax"), [&from, &to, first, last] { relax(from, to, first, last); });
      } else {
        relax(from, to, first, last);
      }
    }
  }
  runtime.wait();
  double sum = 0;
  for (double value : a) sum += value;
  return sum;
}

}  // namespace

int main() {
  const double tasks = sum_after(true), loop = sum_after(false);
  std::printf("with tasks %.17g, without %.17g\n", tasks, loop);
  return tasks == loop ? 0 : 1;
}
