// SPDX-License-Identifier: Apache-2.0

// The dependence patterns of Task Bench (Slaughter et al., SC 2020), by the names and definitions of its source: a grid
// of `steps` rows and `width` columns, in which a task reads results of tasks of the row before.
//
// Radix 5, period 3 and a quarter of the neighbours connected, as in the paper's experiments. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weir::bench {

enum class Pattern : std::uint8_t { trivial, stencil_1d, nearest, spread, fft, random_nearest, dom, tree, all_to_all };

inline constexpr std::array<std::string_view, 9> kPatternNames = {
    "trivial", "stencil_1d", "nearest", "spread", "fft", "random_nearest", "dom", "tree", "all_to_all"};

// Inputs of nearest, spread and random_nearest, at most. Of all patterns only all_to_all has more: a whole row.
inline constexpr int kRadix = 5;

struct Grid {
  Pattern pattern = Pattern::stencil_1d;
  int width = 8;  // 1 .. 32767
  int steps = 1000;
};

// The columns of a row that have tasks. Fewer than the grid's only at both ends of dom, and at the start of tree.
struct Columns {
  int first = 0;
  int count = 0;

  bool contains(int column) const noexcept { return column >= first && column < first + count; }
  int end() const noexcept { return first + count; }
};
Columns columns_at(const Grid& grid, int step) noexcept;

// Columns of the row before that the task reads, each once; ascending for the patterns that are windows. None for
// step 0. The task exists.
std::vector<std::int16_t> inputs_of(const Grid& grid, int step, int column);

// From row `first` on, rows and their inputs repeat after `period` rows. `first` may be the number of steps: never.
struct Repetition {
  int first = 1;
  int period = 1;
};
Repetition repetition_of(const Grid& grid) noexcept;

}  // namespace weir::bench
