// SPDX-License-Identifier: Apache-2.0

// Cholesky's factorisation by tiles over ranks, written once: right-looking, in the lower triangle, as apps/bddt has
// it.
//
// `Tasks` makes a task for each step: factor(k), solve(k, i), subtract_square(k, i), subtract_product(k, i, j), with
// numbers of tiles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "apps/bddt/problems.hpp"
#include "apps/bddt/request.hpp"

namespace weir::apps::ranks {

template <class Tasks>
void spawn_cholesky(Tasks& tasks, std::size_t tiles) {
  for (std::size_t k = 0; k < tiles; ++k) {
    tasks.factor(k);
    for (std::size_t i = k + 1; i < tiles; ++i) tasks.solve(k, i);
    for (std::size_t i = k + 1; i < tiles; ++i) {
      for (std::size_t j = k + 1; j < i; ++j) tasks.subtract_product(k, i, j);
      tasks.subtract_square(k, i);
    }
  }
}

inline std::size_t tasks_of(std::size_t tiles) { return tiles * (tiles + 1) * (tiles + 2) / 6; }

// Ranks as the most quadratic grid of so many.
struct Grid {
  int rows, columns;
  explicit Grid(int ranks) : rows(static_cast<int>(std::sqrt(ranks))) {
    while (ranks % rows != 0) --rows;
    columns = ranks / rows;
  }
  int owner_of(std::size_t row, std::size_t column) const {
    return static_cast<int>(row % static_cast<std::size_t>(rows)) * columns +
           static_cast<int>(column % static_cast<std::size_t>(columns));
  }
};

// A matrix whose factor check_factor() knows how to check, in rows.
inline std::vector<double> definite_matrix(std::size_t n) {
  std::vector<double> a(n * n);
  bddt::fill_definite(a.data(), n);
  return a;
}

// What rank 0 prints. The exit status.
inline int conclude(const bddt::Report& report) {
  std::printf("%s\n", bddt::text_of(report).c_str());
  if (report.wrong.empty()) return 0;
  std::fprintf(stderr, "cholesky: the result is wrong: %s\n", report.wrong.c_str());
  return 1;
}

}  // namespace weir::apps::ranks
