// SPDX-License-Identifier: Apache-2.0

// Loops and sums over ranges. The sum is combined in an order that depends on the range alone: the same bits on one
// worker and on a hundred.
#include <weir/weir.hpp>

#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

double norm(int workers) {
  weir::Options options;
  options.workers = workers;
  weir::Runtime runtime(options);

  std::vector<double> values(1'000'000);
  weir::parallel_for(std::size_t{0}, values.size(), 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = std::sin(static_cast<double>(i));
  });
  const double sum = weir::parallel_reduce(
      std::size_t{0}, values.size(), 0, 0.0,
      [&](std::size_t begin, std::size_t end, double partial) {
        for (std::size_t i = begin; i < end; ++i) partial += values[i] * values[i];
        return partial;
      },
      std::plus<>());
  return std::sqrt(sum);
}

}  // namespace

int main() {
  const double one = norm(1), two = norm(2);
  std::printf("%.17g with one worker, %.17g with two\n", one, two);
  return one == two ? 0 : 1;
}
