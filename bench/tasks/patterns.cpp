// SPDX-License-Identifier: Apache-2.0

#include "bench/tasks/patterns.hpp"

#include <algorithm>

#include "bench/tasks/mix.hpp"

namespace weir::bench {

namespace {

// Rows after which spread and random_nearest repeat, and the share of neighbours that random_nearest keeps.
constexpr int kVaryingPeriod = 3;
constexpr std::uint64_t kConnectedPercent = 25;

using Inputs = std::vector<std::int16_t>;

int levels(int width) noexcept {
  int count = 0;
  while ((1 << count) < width) ++count;
  return std::max(count, 1);
}

void add(Inputs& inputs, int column, const Columns& row) {
  if (row.contains(column) && std::find(inputs.begin(), inputs.end(), column) == inputs.end())
    inputs.push_back(std::int16_t(column));
}

void add_window(Inputs& inputs, int first, int last, const Columns& row) {
  for (int c = std::max(first, row.first); c <= std::min(last, row.end() - 1); ++c) inputs.push_back(std::int16_t(c));
}

bool connected(int set, int from, int to) noexcept {
  const auto key = (std::uint64_t(set) << 40) ^ (std::uint64_t(from) << 20) ^ std::uint64_t(to);
  return from == to || mix(key) % 100 < kConnectedPercent;
}

}  // namespace

Columns columns_at(const Grid& grid, int step) noexcept {
  if (grid.pattern == Pattern::dom) {
    return {std::max(0, step + grid.width - grid.steps), std::min({grid.width, step + 1, grid.steps - step})};
  }
  if (grid.pattern == Pattern::tree) return {0, std::min(grid.width, 1 << std::min(step, 30))};
  return {0, grid.width};
}

Inputs inputs_of(const Grid& grid, int step, int column) {
  Inputs inputs;
  if (step == 0) return inputs;
  const Columns above = columns_at(grid, step - 1);
  const int width = grid.width;
  switch (grid.pattern) {
    case Pattern::trivial: break;
    case Pattern::stencil_1d: add_window(inputs, column - 1, column + 1, above); break;
    case Pattern::nearest: add_window(inputs, column - kRadix / 2, column + kRadix / 2, above); break;
    case Pattern::all_to_all: add_window(inputs, 0, width - 1, above); break;
    case Pattern::dom: add_window(inputs, column - 1, column, above); break;
    case Pattern::tree: add(inputs, column / 2, above); break;
    case Pattern::spread: {
      const int shift = step % kVaryingPeriod;
      for (int i = 0; i < kRadix; ++i) add(inputs, (column + i * width / kRadix + (i > 0 ? shift : 0)) % width, above);
      break;
    }
    case Pattern::fft: {
      const int distance = 1 << ((step - 1) % levels(width));
      for (const int c : {column - distance, column, column + distance}) add(inputs, c, above);
      break;
    }
    case Pattern::random_nearest:
      for (int c = column - kRadix / 2; c <= column + kRadix / 2; ++c) {
        if (connected(step % kVaryingPeriod, c, column)) add(inputs, c, above);
      }
      break;
  }
  return inputs;
}

Repetition repetition_of(const Grid& grid) noexcept {
  switch (grid.pattern) {
    case Pattern::fft: return {1, levels(grid.width)};
    case Pattern::spread:
    case Pattern::random_nearest: return {1, kVaryingPeriod};
    case Pattern::tree: return {levels(grid.width) + 1, 1};
    case Pattern::dom: return {grid.steps, 1};
    default: return {1, 1};
  }
}

}  // namespace weir::bench
