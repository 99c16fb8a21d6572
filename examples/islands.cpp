// SPDX-License-Identifier: Apache-2.0

// Tasks on islands: worker processes that share memory, but no coherent caches. Heat on a rod, in blocks, no barriers.
//
// A footprint says what a worker makes fresh before the task and writes back after it. WEIR_ISLAND_MEMORY=checked
// shows what one leaves out, on any machine.
#include <weir/island.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

constexpr std::size_t kCells = 1 << 16, kBlock = 1 << 12;
constexpr int kSteps = 40;

// One block, from one step to the next. The ends of the rod stay as they are.
void step(const double* from, double* to, std::size_t first) {
  for (std::size_t i = first; i < first + kBlock; ++i)
    to[i] = i == 0 || i + 1 == kCells ? from[i] : 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
}

}  // namespace

int main() {
  weir::island::Master master;
  double* from = master.allocate<double>(kCells);
  double* to = master.allocate<double>(kCells);
  from[0] = 100;  // before tasks name it the program may write

  for (int i = 0; i < kSteps; ++i) {
    for (std::size_t first = 0; first < kCells; first += kBlock) {
      const std::size_t left = first == 0 ? 0 : first - 1, right = std::min(first + kBlock + 1, kCells);
      master.spawn(weir::in(from + left, right - left), weir::out(to + first, kBlock), weir::name("step"),
                   [=] { step(from, to, first); });
    }
    std::swap(from, to);
  }
  master.wait();  // and now it may read

  std::vector<double> expected(kCells), next(kCells);
  expected[0] = 100;
  for (int i = 0; i < kSteps; ++i) {
    for (std::size_t first = 0; first < kCells; first += kBlock) step(expected.data(), next.data(), first);
    expected.swap(next);
  }
  std::printf("cell 10 has %.3f degrees\n", from[10]);
  return std::equal(expected.begin(), expected.end(), from) ? 0 : 1;
}
