// SPDX-License-Identifier: Apache-2.0

#include "apps/seismic/solver.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace weir::apps::seismic {
namespace {

constexpr Index kBytesPerCell = 6 * sizeof(double);
constexpr Index kInnerRows = 8;
constexpr Index kInnerCols = 128;

constexpr std::array<Variant, 7> kVariants = {{
    {"serial", "one thread, two loops", start_serial},
    {"openmp", "parallel for, a barrier after each phase", start_openmp, true},
    {"tbb", "parallel_for, a barrier after each phase", start_tbb, true},
    {"weir-plain", "tasks of row blocks, no barrier", start_weir_plain},
    {"weir", "tasks that take a tile through several iterations in cache", start_weir},
    {"weir-bands", "the same with bands of whole rows, in the same memory", start_weir_bands},
    {"weir-blocks", "tasks of bands that are Weir's blocks", start_weir_blocks, false, true},
}};

Index round_up(Index value, Index multiple) { return (value + multiple - 1) / multiple * multiple; }

// What a tile `cols` wide keeps in use: the rows of the innermost blocks and those of all its iterations.
Index bytes_in_flight(Index iterations, Index cols) {
  return (kInnerRows + iterations) * (cols + kLine * iterations) * kBytesPerCell;
}

Index widest(Index iterations, Index budget) {
  Index cols = kInnerCols;
  while (bytes_in_flight(iterations, cols + kInnerCols) <= budget) cols += kInnerCols;
  return cols;
}

// As deep as leaves a tile at least twice as wide as its skew is long; each further iteration saves less.
Index deepest(Index budget) {
  for (const Index iterations : {16, 12, 8}) {
    if (bytes_in_flight(iterations, 2 * kLine * iterations) <= budget) return iterations;
  }
  return 4;
}

}  // namespace

std::span<const Variant> variants() {
  static const std::vector<Variant> all = [] {
    std::vector<Variant> made(kVariants.begin(), kVariants.end());
    const auto in_ocr = ocr_variants();
    made.insert(made.end(), in_ocr.begin(), in_ocr.end());
    return made;
  }();
  return all;
}

const Variant* find_variant(std::string_view name) {
  const auto all = variants();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Variant& v) { return v.name == name; });
  return found != all.end() ? &*found : nullptr;
}

Index default_block_rows(Index rows, int threads) {
  const Index blocks = std::max<Index>(128, 4 * static_cast<Index>(threads));
  return std::max<Index>(1, rows / blocks);
}

Tiling choose_tiling(const TilingRequest& request, const Caches& caches, Index rows, int threads) {
  const auto level1 = static_cast<Index>(caches.level1);
  const auto half_level2 = static_cast<Index>(caches.level2) / 2;
  Tiling t{};
  t.iterations = request.iterations > 0 ? request.iterations : deepest(half_level2);
  t.cols = request.cols > 0 ? round_up(request.cols, kLine) : widest(t.iterations, half_level2);
  t.inner_cols = t.cols % kInnerCols == 0 ? kInnerCols : t.cols;
  const Index rows_in_level1 = level1 / (t.inner_cols * kBytesPerCell);
  t.inner_iterations = std::clamp<Index>(rows_in_level1 - 1, 1, std::min<Index>(4, t.iterations));
  t.inner_rows = kInnerRows;
  const Index rows_per_thread = round_up(std::max<Index>(rows / (4 * threads), 1), kInnerRows);
  t.rows = request.rows > 0 ? request.rows : std::clamp<Index>(rows_per_thread, 16, 64);
  return t;
}

}  // namespace weir::apps::seismic
