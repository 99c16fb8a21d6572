// SPDX-License-Identifier: Apache-2.0

// Divide and conquer: fork_join() costs little more than two calls, so the halves may be small.
#include <weir/weir.hpp>

#include <algorithm>
#include <cstdio>
#include <random>
#include <span>
#include <vector>

namespace {

constexpr std::size_t kSmall = 1024;  // shorter ones are sorted in place

void sort(std::span<int> values) {
  if (values.size() <= kSmall) return std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  weir::fork_join([&] { sort(values.first(half)); },     // here
                  [&] { sort(values.subspan(half)); });  // here too, unless an idle worker takes it
  std::inplace_merge(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
}

}  // namespace

int main() {
  weir::Runtime runtime;
  std::mt19937 random(1);
  std::vector<int> values(1'000'000);
  std::generate(values.begin(), values.end(), [&] { return static_cast<int>(random() % 1'000'000); });

  sort(values);

  const bool sorted = std::is_sorted(values.begin(), values.end());
  std::printf("%zu values, %s\n", values.size(), sorted ? "sorted" : "NOT sorted");
  return sorted ? 0 : 1;
}
